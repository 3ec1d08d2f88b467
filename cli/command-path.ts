import type { Command } from 'commander';

/** The program's name. */
export function programOf(command: Command): string {
  return command.parent === null ? command.name() : programOf(command.parent);
}

/** The words of a command after the program's name: `member create`. */
export function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();
}
