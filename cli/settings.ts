import type { Command } from 'commander';
import type { SettingRow } from '../kernel/contract/system.js';
import { leafOf } from './catalog.js';
import type { Context } from './command.js';
import { print } from './output.js';
import { remark } from './remark.js';
import { type CommonFlags, findServer, settingsOf } from './session.js';
import { callIn } from './within-session.js';

interface Found {
  rows: SettingRow[];
  /** A sentence for people: which server has them. */
  owner: string;
}

/** Shows the settings of the running server; if none runs, those that `serve` would use here. */
export async function showSettings(command: Command, context: Context): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags & { json?: boolean | string }>();
  const { terminal } = context;
  const { rows, owner } = (await ofServer(flags, context)) ?? (await ofThisCommand(flags, context));
  remark(owner, terminal);
  if (!terminal.stdout.isTTY || flags.json !== undefined)
    return print(rows, { json: flags.json, columns: ['key', 'value', 'source', 'environment', 'summary'] }, terminal);
  // A long value would push the source over the edge, and the name of its variable the value.
  const seen = rows.map((row) => ({ ...row, source: row.source.startsWith('environment ') ? 'environment' : row.source }));
  print(seen, { columns: ['key', 'source', 'value', 'environment', 'summary'] }, terminal);
}

async function ofServer(flags: CommonFlags, { terminal, signal }: Context): Promise<Found | undefined> {
  const server = await findServer(flags, terminal);
  if (server === undefined) return undefined;
  try {
    const { body } = await callIn(server, leafOf('config.get'), { signal });
    return { rows: body as SettingRow[], owner: `Settings of the server at ${server.name}` };
  } finally {
    await server.close();
  }
}

async function ofThisCommand(flags: CommonFlags, { terminal }: Context): Promise<Found> {
  const { describe } = await import('../config/describe.js');
  const { config, sources } = await settingsOf(flags, terminal);
  const owner = `No server runs on ${config.data_dir}: these are the settings that platform serve would use`;
  return { rows: describe(config, sources), owner };
}
