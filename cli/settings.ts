import type { Command } from 'commander';
import type { Context } from './command.js';
import { print } from './output.js';
import { type CommonFlags, configOf } from './session.js';

/** Shows the settings that a server started here and now would have. */
export async function showSettings(command: Command, { terminal }: Context): Promise<void> {
  const { describe } = await import('../config/describe.js');
  const flags = command.optsWithGlobals<CommonFlags & { json?: boolean | string }>();
  const rows = describe(await configOf(flags, terminal));
  print(rows, { json: flags.json, columns: ['key', 'value', 'environment', 'summary'] }, terminal);
}
