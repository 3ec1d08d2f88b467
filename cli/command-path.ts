import type { Command } from 'commander';

/** Returns the program's name. */
export function programOf(command: Command): string {
  return command.parent === null ? command.name() : programOf(command.parent);
}

/** Finds a command by its name or by one of its aliases. */
export function commandBelow(parent: Command, word: string): Command | undefined {
  return parent.commands.find((command) => command.name() === word || command.aliases().includes(word));
}

/** Returns the words of a command after the program's name: `member create`. */
export function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();
}
