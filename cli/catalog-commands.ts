import type { Command } from 'commander';
import type { CommandHint } from '../kernel/contract/manifest.js';
import type { Catalog } from './catalog.js';
import { addOperation, type Context, group } from './command.js';
import type { Leaf } from './flags.js';

/** The words by which people delete. A command that has one of them answers to `rm`, `remove` and `delete`. */
const deletions = new Set(['rm', 'remove', 'delete', 'revoke']);

interface Line {
  context: Context;
  /** What was typed. */
  argv: readonly string[];
}

/**
 * The operations that have a command of their own: `member list` becomes `list` below `member`. Of groups that the line doesn't
 * name only the names are there: all their flags would take `--help` half of its time.
 */
export function addCatalog(program: Command, catalog: Catalog, { context, argv }: Line): void {
  const named = new Set(argv);
  const below = new Map<Command, Set<string>>();
  for (const hint of catalog.commands) {
    const names = hint.command.split(' ');
    const [first = ''] = names;
    if (names.length > 1) note(group(program, first), names[1] as string, below);
    if (names.length === 1 || named.has(first)) addHint(program, hint, { catalog, context });
  }
  for (const [parent, names] of below) parent.description([...names].join(', '));
}

function note(parent: Command, name: string, below: Map<Command, Set<string>>): void {
  const names = below.get(parent) ?? new Set(parent.commands.map((command) => command.name()));
  below.set(parent, names.add(name));
}

function addHint(program: Command, hint: CommandHint, { catalog, context }: { catalog: Catalog; context: Context }): void {
  const operation = catalog.operations[hint.operation];
  if (operation === undefined) return;
  const names = hint.command.split(' ');
  const last = names.pop() as string;
  const parent = names.reduce(group, program);
  const command = addOperation(parent, last, { id: hint.operation, operation, hint, next: nextOf(hint, catalog) }, context);
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
