import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../contract/extension.js';
import { failures } from '../../contract/failure.js';
import type { Command } from '../sandbox/command.js';
import { locatePackage } from '../sandbox/packages.js';
import { Spool } from '../sandbox/spool.js';
import { outside, type ProcessEnd, WalledProcess } from '../sandbox/walled-process.js';
import type { Containment } from '../sandbox/walls/containment.js';
import type { WalledProgram } from '../sandbox/walls/isolation.js';
import { type Answer, AnswerReader } from './answer.js';
import type { TextHint } from './kind.js';
import { beside_heap_mb, memory_mb, reading_limit_ms } from './limits.js';
import { reasons } from './refusal.js';

const fail = failures({ documents_not_contained: 409, document_failed: 500 });

/** Name of the program for accounts and trust. No extension may have it. */
const program_name = 'kernel.documents';

/** Packages with which documents are read. */
const packages = ['pdfjs-dist', 'mammoth', 'saxes', 'yauzl', 'htmlparser2', 'markdown-it'] as const;

export interface RunOptions {
  walls: Containment;
  data_dir: string;
  log: Log;
  hint: TextHint;
  signal: AbortSignal;
  limit_ms?: number;
}

/** Reads one document in a process of its own, which ends with it. */
export async function readBehindWalls(bytes: Uint8Array, options: RunOptions): Promise<Answer> {
  const spool = await Spool.open();
  try {
    const file = join(spool.folder, 'document');
    await writeFile(file, bytes);
    // The process may run as another user; the folder's mode keeps out others.
    await chmod(file, 0o444);
    const isolated = await isolate(spool, options);
    try {
      options.signal.throwIfAborted();
      return await outside(() => readIn(isolated.command, file, options));
    } finally {
      await isolated.dispose();
    }
  } finally {
    await spool.dispose();
  }
}

async function isolate(spool: Spool, { walls, data_dir }: RunOptions) {
  // The process's user owns it, as a plugin owns its folder; nothing is written to it.
  const files = join(data_dir, 'files', program_name);
  await mkdir(files, { recursive: true, mode: 0o700 });
  const program = programOf();
  const folder = dirname(program.main);
  return walls.isolate(program_name, { folder, files, spool: spool.folder, program, memory_mb, beside_heap_mb, trusted: false });
}

function programOf(): WalledProgram {
  const folders = packages.flatMap((name) => locatePackage(name, import.meta.url).folders);
  return {
    main: fileURLToPath(new URL('./child.js', import.meta.url)),
    readable: [...new Set(folders)],
    refusal: (missing) =>
      fail(
        'documents_not_contained',
        `Documents can't be read because walls around the process that reads them do not hold here: ${missing}. ` +
          `See platform doctor, or take the risk with PLATFORM_PLUGINS_TRUSTED=${program_name}`,
      ),
  };
}

async function readIn(command: Command, file: string, { hint, log, signal, limit_ms = reading_limit_ms }: RunOptions): Promise<Answer> {
  const process = new WalledProcess({
    command,
    arguments: (inherited) => [file, hint, ...inherited.map(String)],
    // Both may have words of the document.
    stdout: () => undefined,
    stderr: (line) => log.debug('A process that reads a document wrote a line', { line }),
  });
  const reader = new AnswerReader();
  let isLate = false;
  const kill = () => process.kill();
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, limit_ms);
  signal.addEventListener('abort', kill, { once: true });
  process.pipe.on('data', (piece: Buffer) => {
    if (!reader.take(piece)) kill();
  });
  process.pipe.on('error', kill);
  try {
    const closed = new Promise((resolve) => process.pipe.once('close', resolve));
    const [end] = await Promise.all([process.ended, closed]);
    signal.throwIfAborted();
    return answerOf(reader, end, isLate);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}

/** Returns the answer, or what the end of the process says about the document. */
function answerOf(reader: AnswerReader, end: ProcessEnd, isLate: boolean): Answer {
  if (reader.answer !== undefined && end.code === 0) return reader.answer;
  if (isLate) return { reason: reasons.too_slow };
  if (end.out_of_memory) return { reason: reasons.too_complex };
  if (reader.started) return { reason: reasons.damaged };
  const how = end.signal === null ? `with exit code ${end.code}` : `by ${end.signal}`;
  throw fail('document_failed', `The process that reads documents ended ${how} before it had begun: see the log at the level debug`);
}
