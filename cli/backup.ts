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
import { assertFields, fieldsOf, print } from './output.js';
import { Progress, withProgress } from './progress.js';
import { remark } from './remark.js';
import type { Session } from './session.js';
import type { Terminal } from './terminal.js';
import { callIn, withSession } from './within-session.js';

/** Limits the files that a warning names for each extension. */
const max_named = 5;
const fail = failures({ backup_damaged: 502 });

/** Makes an archive on the server, and writes a verified copy of it to `--out`. */
export async function backup(command: Command, context: Context): Promise<void> {
  const { out, keep, json } = command.opts<{ out?: string; keep: string; json?: boolean | string }>();
  if (!/^\d+$/.test(keep)) throw new UsageError(`'${keep}' for --keep is not a number of archives`, 'as in: --keep 7');
  const fields = [...(fieldsOf(leafOf('maintenance.backup').operation.answer) ?? []), 'path'];
  assertFields(json, fields);
  const resolveDestination = out === undefined ? undefined : await destinationResolver(out, context.terminal);
  await withSession(command, context, async (session) => {
    const report = await make(session, Number(keep), context);
    const { target, path } = (await resolveDestination?.(report.file)) ?? { target: undefined, path: null };
    if (target !== undefined) await copy(session, { report, target }, context);
    const { terminal } = context;
    // The archive itself goes to standard output.
    const stdout = target?.kind === 'output' ? terminal.stderr : terminal.stdout;
    print(
      { ...report, path },
      { json, fields, columns: [...(path === null ? [] : ['path']), 'file', 'bytes', 'sha256', 'missing_blobs'] },
      { ...terminal, stdout },
    );
    for (const line of leftOutLines(report.left_out_files)) remark(line, terminal);
    remark('The archive does not contain the key for its secrets: store secret.key or PLATFORM_SECRET_KEY elsewhere.', terminal);
  });
}

/** Returns a warning for each extension with files that the archive lacks or holds incomplete. Older servers send no names. */
function leftOutLines(files: BackupReport['left_out_files'] = []): string[] {
  const byExtension = new Map<string, string[]>();
  for (const { name, why } of files) {
    const [, extension = ''] = name.split('/');
    byExtension.set(extension, [...(byExtension.get(extension) ?? []), `${name} (${why})`]);
  }
  return [...byExtension].map(([extension, files]) => {
    const more = files.length > max_named ? `; and ${files.length - max_named} more` : '';
    return `warning: the backup lacks these files of ${extension}, or their last state: ${files.slice(0, max_named).join('; ')}${more}`;
  });
}

interface ResolvedDestination {
  target: Destination;
  /** The path as the caller wrote it; null for standard output. */
  path: string | null;
}

/** Resolves `--out` before any work. A folder receives the archive under its base name, so that the server can't choose another path. */
async function destinationResolver(out: string, terminal: Terminal): Promise<(file: string) => Promise<ResolvedDestination>> {
  const resolve = async (path: string): Promise<ResolvedDestination> => {
    const target = await destinationOf(path);
    assertNotOnScreen(target, terminal, "The archive is a file, which a terminal can't show");
    return { target, path: target.kind === 'output' ? null : path };
  };
  if (await isFolder(out)) return (file) => resolve(join(out, basename(file)));
  const destination = await resolve(out);
  return async () => destination;
}

async function make(session: Session, keep: number, { terminal, signal }: Context): Promise<BackupReport> {
  const leaf = leafOf('maintenance.backup');
  const { body } = await withProgress(new Progress(terminal, 'writing the backup'), (progress) =>
    callIn(session, leaf, { input: { keep }, signal, ...progress.listening }),
  );
  return body as BackupReport;
}

interface Copy {
  report: BackupReport;
  target: Destination;
}

/** Copies the archive to its destination, and compares its hash with the server's. */
async function copy(session: Session, { report, target }: Copy, context: Context): Promise<void> {
  await writeTo(target, { terminal: context.terminal, signal: context.signal, mode: 0o600 }, async (sink) => {
    const sha256 = await fetchInto(sink, session, report, context);
    if (sha256 === report.sha256) return;
    const left = target.kind === 'file' ? 'the copy was deleted' : 'do not use what was written';
    throw fail('backup_damaged', `The copy of ${report.file} differs from the archive on the server; ${left}`);
  });
}

/** Downloads the archive in pieces; returns its SHA-256. */
async function fetchInto(sink: Sink, session: Session, report: BackupReport, { terminal, signal }: Context): Promise<string> {
  const leaf = leafOf('backups.read');
  const hash = createHash('sha256');
  await withProgress(new Progress(terminal, 'downloading'), async (progress) => {
    for (let offset = 0; offset < report.bytes; ) {
      const { body } = await callIn(session, leaf, { input: { file: report.file, offset }, signal });
      const { bytes } = body as FileAnswer;
      if (bytes.length === 0)
        throw fail('backup_damaged', `${report.file} ended after ${offset} of ${report.bytes} bytes; the copy was deleted`);
      await sink.write(bytes);
      hash.update(bytes);
      offset += bytes.length;
      progress.at(offset, report.bytes);
    }
  });
  return hash.digest('hex');
}
