import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { failures } from '../kernel/contract/failure.js';
import type { FileAnswer } from '../kernel/contract/operation.js';
import type { BackupReport } from '../kernel/data/backup/backups.js';
import { kernelOperations } from './catalog.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { print } from './output.js';
import { Progress, showing } from './progress.js';
import type { Session } from './session.js';
import { callIn, withSession } from './within-session.js';

const fail = failures({ backup_damaged: 502 });

/** Has an archive made, and puts a checked copy of it where it is wanted. */
export async function backup(command: Command, context: Context): Promise<void> {
  const { out, keep, json } = command.opts<{ out?: string; keep: string; json?: boolean | string }>();
  if (!/^\d+$/.test(keep)) throw new UsageError(`'${keep}' is no number of archives to keep`, 'as in: --keep 7');
  const path = out === undefined ? undefined : await placeOf(out);
  await withSession(command, context, async (session) => {
    const report = await make(session, Number(keep), context);
    const target = path?.(report.file);
    if (target !== undefined) await copy(session, { report, target }, context);
    const answer = { ...report, path: target ?? null };
    print(
      answer,
      { json, columns: [...(target === undefined ? [] : ['path']), 'file', 'bytes', 'sha256', 'missing_blobs'] },
      context.terminal,
    );
    context.terminal.stderr.write('The key that opens its secrets is not in it: keep secret.key or PLATFORM_SECRET_KEY elsewhere.\n');
  });
}

/** Said before the work, not after it: a folder takes the archive under its own name, which the server can't lead elsewhere. */
async function placeOf(out: string): Promise<(file: string) => string> {
  const found = await stat(out).catch(() => undefined);
  if (found?.isDirectory()) return (file) => join(out, basename(file));
  const folder = await stat(dirname(out)).catch(() => undefined);
  if (!folder?.isDirectory())
    throw new UsageError(`There is no folder '${dirname(out)}'`, 'make it, or name another place with: --out <file>');
  return () => out;
}

async function make(session: Session, keep: number, { terminal, signal }: Context): Promise<BackupReport> {
  const leaf = { id: 'maintenance.backup', operation: kernelOperations['maintenance.backup'] };
  const { body } = await showing(new Progress(terminal, 'writing the backup'), (progress) =>
    callIn(session, leaf, { input: { keep }, signal, ...progress.listening }),
  );
  return body as BackupReport;
}

interface Copy {
  report: BackupReport;
  target: string;
}

/** The copy has its name only once it is whole and what the server has written. */
async function copy(session: Session, { report, target }: Copy, context: Context): Promise<void> {
  const draft = `${target}.${randomBytes(4).toString('hex')}.part`;
  const file = await open(draft, 'wx', 0o600);
  try {
    const sha256 = await fetchInto(file, session, report, context);
    await file.sync();
    await file.close();
    if (sha256 !== report.sha256)
      throw fail('backup_damaged', `The copy of ${report.file} differs from what the server has written; nothing was kept of it`);
    await rename(draft, target);
  } catch (fault) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw fault;
  }
}

/** Gives the hash of what was fetched. */
async function fetchInto(file: FileHandle, session: Session, report: BackupReport, { terminal, signal }: Context): Promise<string> {
  const leaf = { id: 'backups.read', operation: kernelOperations['backups.read'] };
  const hash = createHash('sha256');
  await showing(new Progress(terminal, 'fetching it'), async (progress) => {
    for (let offset = 0; offset < report.bytes; ) {
      const { body } = await callIn(session, leaf, { input: { file: report.file, offset }, signal });
      const { bytes } = body as FileAnswer;
      if (bytes.length === 0)
        throw fail('backup_damaged', `${report.file} ended after ${offset} of ${report.bytes} bytes; nothing was kept of it`);
      await file.writeFile(bytes);
      hash.update(bytes);
      offset += bytes.length;
      progress.at(offset, report.bytes);
    }
  });
  return hash.digest('hex');
}
