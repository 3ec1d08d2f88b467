import type { Command } from 'commander';
import { loadedCatalog } from '../call.js';
import { builtinCatalog, type Catalog } from '../catalog.js';
import type { Context } from '../command.js';
import { pluginCommand } from '../plugin.js';
import { type CommonFlags, findServer } from '../session.js';
import { harmless } from '../terminal.js';
import { placeAfter, suggest } from './suggest.js';

/** Whoever presses a key waits for it. */
const server_ms = 300;

/** Tells a shell what could come next, a line each, and last whether names of files fit too. The last word is the one being written. */
export async function complete(words: readonly string[], program: Command, context: Context): Promise<void> {
  const before = words.slice(0, -1);
  const { command, flags } = placeAfter(program, before);
  if (command.name() === 'x') await addPlugins(command, flags, context);
  const { found, files } = suggest(placeAfter(program, before), words.at(-1) ?? '');
  const lines = found.map(({ value, about }) => `${oneLine(value)}\t${oneLine(about)}`.trimEnd());
  context.terminal.stdout.write(`${[...lines, files ? ':files' : ':none'].join('\n')}\n`);
}

function oneLine(text: string): string {
  return harmless(text).replaceAll(/\s+/g, ' ');
}

/** Commands of installed plugins are known where a server runs that answers at once; no data folder is opened for it. */
async function addPlugins(parent: Command, flags: CommonFlags, context: Context): Promise<void> {
  const { operations, commands } = (await loadedBy(flags, context)) ?? { operations: {}, commands: [] };
  const own = new Set(Object.keys(builtinCatalog().about));
  const all = Object.entries(operations).filter(([, { extension }]) => !own.has(extension));
  for (const extension of new Set(all.map(([, data]) => data.extension))) {
    const mine = all.filter(([, data]) => data.extension === extension);
    parent.addCommand(pluginCommand(extension, { operations: Object.fromEntries(mine), commands }, { like: parent, context }));
  }
  parent.helpCommand(false);
}

async function loadedBy(flags: CommonFlags, { terminal }: Context): Promise<Pick<Catalog, 'operations' | 'commands'> | undefined> {
  // Aborted, not only left: the shell waits until this process has ended.
  const signal = AbortSignal.timeout(server_ms);
  const server = await findServer(flags, terminal).catch(() => undefined);
  try {
    return server && (await loadedCatalog(server, signal).catch(() => undefined));
  } finally {
    await server?.close();
  }
}
