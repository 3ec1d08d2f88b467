import { fileURLToPath } from 'node:url';
import type { Log } from '../../contract/extension.js';
import { failures } from '../../contract/failure.js';
import { type FileProgram, type FileProgramEnd, howEnded, runOnFile } from '../sandbox/file-program.js';
import { locatePackage } from '../sandbox/packages.js';
import type { Containment } from '../sandbox/walls/containment.js';
import { type Answer, AnswerReader } from './answer.js';
import type { TextHint } from './kind.js';
import { beside_heap_mb, memory_mb, reading_limit_ms } from './limits.js';
import { reasons } from './refusal.js';

const fail = failures({ documents_not_contained: 409, document_failed: 500 });

/** Name of the program for accounts and trust. */
const program_name = 'kernel.documents';

/** Packages with which documents are read. */
const packages = ['pdfjs-dist', 'mammoth', 'saxes', 'yauzl', 'htmlparser2', 'markdown-it'] as const;

export interface RunOptions {
  walls: Containment;
  data_dir: string;
  log: Log;
  hint: TextHint;
  max_characters: number;
  signal: AbortSignal;
  limit_ms?: number;
}

/** Reads one document in a process of its own, which ends with it. */
export async function readBehindWalls(bytes: Uint8Array, options: RunOptions): Promise<Answer> {
  const { walls, data_dir, log, hint, max_characters, signal, limit_ms = reading_limit_ms } = options;
  const reader = new AnswerReader();
  const end = await runOnFile(programOf(), bytes, {
    ...{ walls, data_dir, signal, limit_ms },
    arguments: [hint, `${max_characters}`],
    take: (piece) => reader.take(piece),
    // The line may quote the document.
    stderr: (line) => log.debug('A process that reads a document wrote a line', { line }),
  });
  return answerOf(reader, end);
}

function programOf(): FileProgram {
  const folders = packages.flatMap((name) => locatePackage(name, import.meta.url).folders);
  return {
    name: program_name,
    main: fileURLToPath(new URL('./child.js', import.meta.url)),
    readable: [...new Set(folders)],
    memory_mb,
    beside_heap_mb,
    refusal: (missing) =>
      fail(
        'documents_not_contained',
        `Documents can't be read because walls around the process that reads them do not hold here: ${missing}. ` +
          `See platform doctor, or take the risk with PLATFORM_PLUGINS_TRUSTED=${program_name}`,
      ),
  };
}

/** Returns the answer; without one, the reason that follows from how the process ended. */
function answerOf(reader: AnswerReader, end: FileProgramEnd): Answer {
  if (reader.answer !== undefined && end.code === 0) return reader.answer;
  if (end.is_late) return { reason: reasons.too_slow, is_late: true };
  if (end.out_of_memory) return { reason: reasons.too_complex };
  if (reader.started) return { reason: reasons.damaged };
  throw fail(
    'document_failed',
    `The process that reads documents ended ${howEnded(end)} before it had begun: see the log at the level debug`,
  );
}
