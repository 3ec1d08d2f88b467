import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { failures } from '../kernel/contract/failure.js';
import type { FileAnswer } from '../kernel/contract/operation.js';
import type { BackupReport } from '../kernel/contract/system.js';
import { leafOf } from './catalog.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { assertNotOnScreen } from './file-answer.js';
import { type Destination, destinationOf, isFolder, type Sink, writeTo } from './file-destination.js';
import { print } from './output.js';
import { Progress, showing } from './progress.js';
import { remark } from './remark.js';
import type { Session } from './session.js';
import type { Terminal } from './terminal.js';
import { callIn, withSession } from './within-session.js';

/** Limits the files that a warning names for each extension. */
const max_named = 5;
const fail = failures({ backup_damaged: 502 });

/** Has an archive made, and puts a checked copy of it where it is wanted. */
export async function backup(command: Command, context: Context): Promise<void> {
  const { out, keep, json } = command.opts<{ out?: string; keep: string; json?: boolean | string }>();
  if (!/^\d+$/.test(keep)) throw new UsageError(`'${keep}' is no number of archives to keep`, 'as in: --keep 7');
  const place = out === undefined ? undefined : await placeOf(out, context.terminal);
  await withSession(command, context, async (session) => {
    const report = await make(session, Number(keep), context);
    const { target, path } = (await place?.(report.file)) ?? { target: undefined, path: null };
    if (target !== undefined) await copy(session, { report, target }, context);
    const { terminal } = context;
    // Standard output has the archive then.
    const stdout = target?.kind === 'output' ? terminal.stderr : terminal.stdout;
    print(
      { ...report, path },
      { json, columns: [...(path === null ? [] : ['path']), 'file', 'bytes', 'sha256', 'missing_blobs'] },
      { ...terminal, stdout },
    );
    for (const line of leftOutLines(report.left_out_files)) remark(line, terminal);
    remark('The key that opens its secrets is not in it: keep secret.key or PLATFORM_SECRET_KEY elsewhere.', terminal);
  });
}

/** Returns a warning for each extension whose files are not in the archive as they are. A server of before tells no names. */
function leftOutLines(files: BackupReport['left_out_files'] = []): string[] {
  const byExtension = new Map<string, string[]>();
  for (const { name, why } of files) {
    const [, extension = ''] = name.split('/');
    byExtension.set(extension, [...(byExtension.get(extension) ?? []), `${name} (${why})`]);
  }
  return [...byExtension].map(([extension, named]) => {
    const more = named.length > max_named ? `; and ${named.length - max_named} more` : '';
    return `warning: the backup does not have these files of ${extension} as they are: ${named.slice(0, max_named).join('; ')}${more}`;
  });
}

interface Place {
  target: Destination;
  /** As it was named; null for standard output. */
  path: string | null;
}

/** Resolved before the work: a folder takes the archive under its own name, which the server can't lead elsewhere. */
async function placeOf(out: string, terminal: Terminal): Promise<(file: string) => Promise<Place>> {
  const at = async (path: string): Promise<Place> => {
    const target = await destinationOf(path);
    assertNotOnScreen(target, terminal, 'The archive is a file');
    return { target, path: target.kind === 'output' ? null : path };
  };
  if (await isFolder(out)) return (file) => at(join(out, basename(file)));
  const place = await at(out);
  return async () => place;
}

async function make(session: Session, keep: number, { terminal, signal }: Context): Promise<BackupReport> {
  const leaf = leafOf('maintenance.backup');
  const { body } = await showing(new Progress(terminal, 'writing the backup'), (progress) =>
    callIn(session, leaf, { input: { keep }, signal, ...progress.listening }),
  );
  return body as BackupReport;
}

interface Copy {
  report: BackupReport;
  target: Destination;
}

/** Puts the archive at its place, and proves that it is what the server has written. */
async function copy(session: Session, { report, target }: Copy, context: Context): Promise<void> {
  await writeTo(target, { terminal: context.terminal, signal: context.signal, mode: 0o600 }, async (sink) => {
    const sha256 = await fetchInto(sink, session, report, context);
    if (sha256 === report.sha256) return;
    const left = target.kind === 'file' ? 'nothing was kept of it' : 'do not use what was written';
    throw fail('backup_damaged', `The copy of ${report.file} differs from what the server has written; ${left}`);
  });
}

/** Returns the hash of what was fetched. */
async function fetchInto(sink: Sink, session: Session, report: BackupReport, { terminal, signal }: Context): Promise<string> {
  const leaf = leafOf('backups.read');
  const hash = createHash('sha256');
  await showing(new Progress(terminal, 'fetching it'), async (progress) => {
    for (let offset = 0; offset < report.bytes; ) {
      const { body } = await callIn(session, leaf, { input: { file: report.file, offset }, signal });
      const { bytes } = body as FileAnswer;
      if (bytes.length === 0)
        throw fail('backup_damaged', `${report.file} ended after ${offset} of ${report.bytes} bytes; nothing was kept of it`);
      await sink.write(bytes);
      hash.update(bytes);
      offset += bytes.length;
      progress.at(offset, report.bytes);
    }
  });
  return hash.digest('hex');
}
