import type { Command } from 'commander';
import type { CommandHint } from '../kernel/contract/manifest.js';
import type { Catalog } from './catalog.js';
import { addOperation, type Context, group } from './command.js';
import type { Leaf } from './flags.js';

/** Words for a deletion. A command named by one of them gets `rm`, `remove` and `delete` as aliases. */
const deletions = new Set(['rm', 'remove', 'delete', 'revoke']);

interface CommandLine {
  context: Context;
  /** The words that were typed. */
  argv: readonly string[];
}

/**
 * Adds a command for each operation that declares one: `member list` becomes `list` below `member`. Groups that the command line
 * doesn't name get only their names: adding all flags would double the time of `--help`.
 */
export function addCatalog(program: Command, catalog: Catalog, { context, argv }: CommandLine): void {
  const typed = new Set(argv);
  const namesByGroup = new Map<Command, Set<string>>();
  for (const hint of catalog.commands) {
    const names = hint.command.split(' ');
    const [first = ''] = names;
    if (names.length > 1) addName(group(program, first), names[1] as string, namesByGroup);
    if (names.length === 1 || typed.has(first)) addHint(program, hint, { catalog, context });
  }
  for (const [parent, names] of namesByGroup) parent.description([...names].join(', '));
}

function addName(parent: Command, name: string, namesByGroup: Map<Command, Set<string>>): void {
  const names = namesByGroup.get(parent) ?? new Set(parent.commands.map((command) => command.name()));
  namesByGroup.set(parent, names.add(name));
}

function addHint(program: Command, hint: CommandHint, { catalog, context }: { catalog: Catalog; context: Context }): void {
  const operation = catalog.operations[hint.operation];
  if (operation === undefined) return;
  const names = hint.command.split(' ');
  const last = names.pop() as string;
  const parent = names.reduce(group, program);
  const command = addOperation(
    parent,
    last,
    { id: hint.operation, operation, hint, next: nextOf(hint, catalog), upload: uploadOf(hint, catalog) },
    context,
  );
  if (parent !== program && deletions.has(last)) command.aliases(synonymsOf(last, [...names, ''].join(' '), catalog));
  if (parent !== program) parent.description(parent.commands.map((command) => command.name()).join(', '));
}

/** Returns the other words for a deletion, except those that are commands of the same group. */
function synonymsOf(word: string, group: string, { commands }: Catalog): string[] {
  const taken = new Set(commands.map(({ command }) => command));
  return ['rm', 'remove', 'delete'].filter((synonym) => synonym !== word && !taken.has(group + synonym));
}

function nextOf({ follow }: CommandHint, { operations, commands }: Catalog): Leaf['next'] {
  const operation = follow && operations[follow.operation];
  if (operation === undefined) return undefined;
  const hint = commands.find((one) => one.operation === follow?.operation);
  return { leaf: { id: follow?.operation ?? '', operation, hint }, keys: follow?.input ?? [] };
}

function uploadOf({ attachments }: CommandHint, { operations }: Catalog): Leaf | undefined {
  const operation = attachments && operations[attachments.operation];
  return operation && { id: attachments.operation, operation };
}
