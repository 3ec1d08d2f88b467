import { type Command, Option } from 'commander';
import type { JsonSchema } from '../kernel/contract/schema.js';
import { pathOf, programOf } from './command-path.js';
import { addInput, dashed, type Leaf } from './flags.js';
import type { Interrupts } from './interrupts.js';
import type { Terminal } from './terminal.js';
import { durationOf } from './units.js';

/** Dependencies that every command gets. */
export interface Context {
  terminal: Terminal;
  /** Aborts when the command must end: at Ctrl-C, unless a handler of {@link interrupts} takes it. */
  signal: AbortSignal;
  /** Lets a command handle Ctrl-C itself, such as to stop a reply. */
  interrupts: Interrupts;
}

/** Returns a parent command by name; adds it if it is missing. */
export function group(parent: Command, name: string): Command {
  return parent.commands.find((command) => command.name() === name) ?? parent.command(name);
}

/** Adds the command that calls an operation below a parent: its description, arguments, flags, example and action. */
export function addOperation(parent: Command, name: string, leaf: Leaf, context: Context): Command {
  const command = parent.command(name).description(leaf.operation.summary);
  const readInput = addInput(command, leaf);
  addOutputFlags(command);
  const question = leaf.hint?.confirm ?? (leaf.operation.dangerous ? `${leaf.operation.summary} Go on?` : false);
  if (question !== false) command.option('--yes', 'Do it without asking');
  // Scripts may pass --yes to any dangerous operation, also to one that doesn't ask.
  else if (leaf.operation.dangerous) command.addOption(new Option('--yes').hideHelp());
  if (leaf.upload !== undefined) command.addOption(attachmentOption(leaf));
  if (leaf.next !== undefined) command.option('--follow', 'Stay connected and show the result');
  if (asksApproval(leaf)) command.addOption(waitOption());
  if (leaf.operation.kind === 'upload' && !leaf.hint?.arguments?.includes('file'))
    command.requiredOption('--file <path>', 'The file to send; - is standard input');
  if (leaf.operation.kind === 'file') command.option('--out <path>', 'Where to write the file; - is standard output');
  // Built when help is shown, because only then the command has all its parents.
  command.addHelpText('after', () => `\nExample:\n  $ ${leaf.hint?.example ?? exampleOf(command, leaf)}`);
  return command.action(async (...args: unknown[]) => {
    // Loaded only now, so that help and other commands start faster.
    const { perform } = await import('./perform.js');
    await perform(leaf, { command, context, input: readInput(args), question });
  });
}

/** Returns the flag for files that are uploaded before the call. */
function attachmentOption({ hint }: Leaf): Option {
  return new Option(`--${hint?.attachments?.flag} <path>`, 'A file to send; - is standard input (repeatable)').argParser(
    (path, previous: string[] | undefined) => [...(previous ?? []), path],
  );
}

/** Adds the flag `--json`. */
export function addOutputFlags(command: Command): Command {
  return command.option('--json [fields]', 'Write JSON; a comma-separated list selects the fields of each record');
}

/** Returns whether the operation's stream, or the one that `--follow` reads, may pause until a person approves something. */
function asksApproval({ hint, next }: Leaf): boolean {
  return hint?.text?.approvals === true || next?.leaf.hint?.text?.approvals === true;
}

/** Returns the flag `--wait` for streams that may pause until a person approves something. */
export function waitOption(): Option {
  return new Option('--wait <time>', 'If nobody can be asked here: how long to wait for an approval given elsewhere, as 10m')
    .argParser((text) => durationOf(text, '--wait'))
    .default(0, 'not at all');
}

/** Makes an example of the required arguments and flags, for operations whose hint has none. */
function exampleOf(command: Command, { operation }: Leaf): string {
  const { properties = {} } = operation.input as JsonSchema;
  const sampleId = (key: string) => (properties[key]?.format === 'uuid' ? '018f2c6e-0000-7000-8000-000000000000' : '7');
  const args = command.registeredArguments
    .filter((argument) => argument.required)
    .map((argument) => (/id$/.test(argument.name()) ? sampleId(argument.name()) : dashed(argument.name())));
  const options = command.options
    .filter((option) => option.mandatory)
    .map((option) => `${option.long} ${option.long === '--file' ? 'bundle.zip' : 'text'}`);
  return [programOf(command), pathOf(command), ...args, ...options].join(' ');
}
