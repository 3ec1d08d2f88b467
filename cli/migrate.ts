import { join } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config/load.js';
import { shellWord } from '../kernel/contract/shell-word.js';
import { createLog } from '../kernel/platform/log/log.js';
import { type MoveRequest, moveInstallation } from '../kernel/platform/move/installation.js';
import { readAll } from './ask.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { assertFields, print } from './output.js';
import { Progress, withProgress } from './progress.js';
import { remark, remarkCommand } from './remark.js';
import { assertInstalled, type CommonFlags, configOf } from './session.js';
import type { Terminal } from './terminal.js';
import { grouped } from './units.js';

interface Flags extends CommonFlags {
  to?: string;
  toStdin?: boolean;
  json?: boolean | string;
}

/** Moves the installation of the data folder to PostgreSQL, and says how to start it from there. */
export async function migrate(command: Command, { terminal, signal }: Context): Promise<void> {
  const flags = command.optsWithGlobals<Flags>();
  assertFields(flags.json, ['table', 'rows', 'sha256']);
  const config = await configOf(flags, terminal);
  const from = isPostgres(config.database_url) ? 'sqlite:' : config.database_url;
  const to = await targetOf(config, flags, terminal);
  await assertInstalled({ ...config, database_url: from }, flags);
  const log = logOf(flags, terminal);
  const clock = { now: () => Date.now(), iso: () => new Date().toISOString() };
  const request: MoveRequest = { data_dir: config.data_dir, from, to, clock, log, signal };
  const { tables, missing_blobs } = await withProgress(new Progress(terminal, 'copying and comparing', rows), (progress) =>
    moveInstallation({ ...request, progress: (done, total) => progress.at(done, total) }),
  );
  print(tables, { json: flags.json, columns: ['table', 'rows', 'sha256'] }, terminal);
  if (missing_blobs.length > 0)
    remark(
      `Missing or damaged before the move, and not copied: ${missing_blobs.length} blobs (${missing_blobs.slice(0, 5).join(', ')})`,
      terminal,
    );
  for (const line of startLines(config, to)) remarkCommand(line, terminal);
}

const rows = (amount: number) => `${grouped(amount)} rows`;

async function targetOf({ database_url }: Config, { to, toStdin }: Flags, terminal: Terminal): Promise<string> {
  if (toStdin === true && to === undefined) return (await readAll(terminal)).trim();
  if (toStdin === true) throw new UsageError('The database is named twice', 'pass either --to or --to-stdin');
  if (to === undefined && isPostgres(database_url)) return database_url;
  if (to === undefined) throw new UsageError('The target database is missing', 'as in: --to postgres://platform@db.example/platform');
  if (maskPassword(to) !== to)
    throw new UsageError('Every process of the machine can read a password in an argument', 'pipe the address in with --to-stdin');
  return to;
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

function logOf({ debug = false }: Flags, { stderr }: Terminal) {
  const destination = { write: (line: string) => (debug ? stderr.write(line) : undefined) };
  return createLog({ level: 'debug', destination });
}

/** Masks the password in an address; anything but a URL stays as it is. */
function maskPassword(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.password === '' && !url.searchParams.has('password'))) return address;
  if (url.password !== '') url.password = 'PASSWORD';
  if (url.searchParams.has('password')) url.searchParams.set('password', 'PASSWORD');
  return url.href;
}

/** Returns the commands that start the platform from now on. */
function startLines({ data_dir, secret_key }: Config, to: string): string[] {
  return [
    'The move is complete and verified. From now on start the platform with:',
    `  export PLATFORM_DATABASE_URL=${shellWord(maskPassword(to))}`,
    `  export PLATFORM_DATA_DIR=${shellWord(data_dir)}`,
    ...(secret_key === '' ? [] : ['  and the current PLATFORM_SECRET_KEY']),
    '  platform serve',
    ...(secret_key === ''
      ? [`Further instances need the same key: PLATFORM_SECRET_KEY_FILE=${shellWord(join(data_dir, 'secret.key'))}`]
      : []),
    'Without PLATFORM_DATABASE_URL it would use the SQLite file again, which is unchanged.',
  ];
}
