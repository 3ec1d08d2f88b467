import type { Command } from 'commander';
import { loadedCatalog } from '../call.js';
import { builtinCatalog, type Catalog } from '../catalog.js';
import type { Context } from '../command.js';
import { pluginCommand } from '../plugin.js';
import { type CommonFlags, findServer } from '../session.js';
import { harmless } from '../terminal.js';
import { parseWords, suggest } from './suggest.js';

/** Limit of the wait for a server's answer: a person waits for the completion. */
const server_ms = 300;

/** Writes completions for a shell, one a line, and last whether file names fit too. The last word is the one being typed. */
export async function complete(words: readonly string[], program: Command, context: Context): Promise<void> {
  const before = words.slice(0, -1);
  const { command, flags } = parseWords(program, before);
  if (command.name() === 'x') await addPlugins(command, flags, context);
  const { found, files } = suggest(parseWords(program, before), words.at(-1) ?? '');
  const lines = found.map(({ value, about }) => `${oneLine(value)}\t${oneLine(about)}`.trimEnd());
  context.terminal.stdout.write(`${[...lines, files ? ':files' : ':none'].join('\n')}\n`);
}

function oneLine(text: string): string {
  return harmless(text).replaceAll(/\s+/g, ' ');
}

/** Adds the commands of installed plugins if a running server answers in time. Never opens a data folder. */
async function addPlugins(parent: Command, flags: CommonFlags, context: Context): Promise<void> {
  const { operations, commands } = (await loadedCatalogOf(flags, context)) ?? { operations: {}, commands: [] };
  const builtinIds = new Set(Object.keys(builtinCatalog().about));
  const pluginOperations = Object.entries(operations).filter(([, { extension }]) => !builtinIds.has(extension));
  for (const extension of new Set(pluginOperations.map(([, data]) => data.extension))) {
    const ownOperations = pluginOperations.filter(([, data]) => data.extension === extension);
    parent.addCommand(pluginCommand(extension, { operations: Object.fromEntries(ownOperations), commands }, { like: parent, context }));
  }
  parent.helpCommand(false);
}

async function loadedCatalogOf(flags: CommonFlags, { terminal }: Context): Promise<Pick<Catalog, 'operations' | 'commands'> | undefined> {
  // Aborts the request, not only the wait: the shell waits until this process ends.
  const signal = AbortSignal.timeout(server_ms);
  const server = await findServer(flags, terminal).catch(() => undefined);
  try {
    return server && (await loadedCatalog(server, signal).catch(() => undefined));
  } finally {
    await server?.close();
  }
}
