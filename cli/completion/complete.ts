import type { Command } from 'commander';
import { loadedCatalog } from '../call.js';
import { builtinCatalog, type Catalog } from '../catalog.js';
import type { Context } from '../command.js';
import { pluginCommand } from '../plugin.js';
import { operationCaller } from '../references.js';
import { type CommonFlags, findServer, type Session } from '../session.js';
import { harmless } from '../terminal.js';
import { parseWords, type RecordNames, type Suggestion, suggest } from './suggest.js';

/** Limit of the wait for a server's answer: a person waits for the completion. */
const server_ms = 300;

/** Writes completions for a shell, one a line, and last whether file names fit too. The last word is the one being typed. */
export async function complete(words: readonly string[], program: Command, context: Context): Promise<void> {
  const before = words.slice(0, -1);
  const { command, flags } = parseWords(program, before);
  if (command.name() === 'x') await addPlugins(command, flags, context);
  const { found, files, names } = suggest(parseWords(program, before), words.at(-1) ?? '');
  const records = names === undefined ? [] : await recordsNamed(names, flags, context);
  const lines = [...found, ...records].map(({ value, about }) => `${oneLine(value)}\t${oneLine(about)}`.trimEnd());
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

async function loadedCatalogOf(flags: CommonFlags, context: Context): Promise<Pick<Catalog, 'operations' | 'commands'> | undefined> {
  return askServer(flags, context, loadedCatalog);
}

/** Returns records whose names begin like the word, if a running server answers in time. */
async function recordsNamed({ kind, typed, before }: RecordNames, flags: CommonFlags, context: Context): Promise<Suggestion[]> {
  const { namesOf } = await import('../../kernel/client/references.js');
  const found = await askServer(flags, context, (server, signal) => namesOf(kind, typed, operationCaller(server, signal)));
  return (found ?? []).map(({ name, about }) => ({ value: `${before}${name}`, about }));
}

async function askServer<Answer>(
  flags: CommonFlags,
  { terminal }: Context,
  ask: (server: Session, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | undefined> {
  // Aborts the request, not only the wait: the shell waits until this process ends.
  const signal = AbortSignal.timeout(server_ms);
  const server = await findServer(flags, terminal).catch(() => undefined);
  try {
    return server && (await ask(server, signal).catch(() => undefined));
  } finally {
    await server?.close();
  }
}
