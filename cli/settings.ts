import type { Command } from 'commander';
import type { SettingRow } from '../kernel/contract/system.js';
import { leafOf } from './catalog.js';
import type { Context } from './command.js';
import { print } from './output.js';
import { remark } from './remark.js';
import { type CommonFlags, findServer, settingsOf } from './session.js';
import { callIn } from './within-session.js';

interface SettingsReport {
  rows: SettingRow[];
  /** Sentence for people: the server that the settings belong to. */
  owner: string;
}

/** Shows the settings of the running server; if none runs, those that `serve` would use here. */
export async function showSettings(command: Command, context: Context): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags & { json?: boolean | string }>();
  const { terminal } = context;
  const { rows, owner } = (await serverSettings(flags, context)) ?? (await localSettings(flags, context));
  remark(owner, terminal);
  if (!terminal.stdout.isTTY || flags.json !== undefined)
    return print(rows, { json: flags.json, columns: ['key', 'value', 'source', 'environment', 'summary'] }, terminal);
  // The source goes before the value, because a long value would push it over the edge; the variable name has its own column.
  const seen = rows.map((row) => ({ ...row, source: row.source.startsWith('environment ') ? 'environment' : row.source }));
  print(seen, { columns: ['key', 'source', 'value', 'environment', 'summary'] }, terminal);
}

async function serverSettings(flags: CommonFlags, { terminal, signal }: Context): Promise<SettingsReport | undefined> {
  const server = await findServer(flags, terminal);
  if (server === undefined) return undefined;
  try {
    const { body } = await callIn(server, leafOf('config.get'), { signal });
    return { rows: body as SettingRow[], owner: `Settings of the server at ${server.name}` };
  } finally {
    await server.close();
  }
}

async function localSettings(flags: CommonFlags, { terminal }: Context): Promise<SettingsReport> {
  const { describe } = await import('../config/describe.js');
  const { config, sources } = await settingsOf(flags, terminal);
  const owner = `No server is running on ${config.data_dir}: these are the settings that platform serve would use`;
  return { rows: describe(config, sources), owner };
}
