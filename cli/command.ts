import { type Command, Option } from 'commander';
import type { CallOptions } from '../kernel/client/transport.js';
import type { Outcome } from '../kernel/contract/extension.js';
import type { FileAnswer } from '../kernel/contract/operation.js';
import type { JsonSchema } from '../kernel/contract/schema.js';
import { confirm } from './ask.js';
import { durationOf } from './duration.js';
import { save } from './file-answer.js';
import { addInput, dashed, type Leaf } from './flags.js';
import type { Interrupts } from './interrupts.js';
import { type OutputStyle, print } from './output.js';
import { readSecrets } from './secrets.js';
import type { CommonFlags, Session } from './session.js';
import type { Terminal } from './terminal.js';

/** What commands share. */
export interface Context {
  terminal: Terminal;
  /** Aborts at Ctrl-C. */
  signal: AbortSignal;
  interrupts: Interrupts;
}

/** The command below which others stand. */
export function group(parent: Command, name: string): Command {
  return parent.commands.find((command) => command.name() === name) ?? parent.command(name);
}

/** Adds the command of an operation below a parent. */
export function addOperation(parent: Command, name: string, leaf: Leaf, context: Context): Command {
  const command = parent.command(name).description(leaf.operation.summary);
  const readInput = addInput(command, leaf);
  addOutputFlags(command);
  const question = leaf.hint?.confirm ?? (leaf.operation.dangerous ? `${leaf.operation.summary} Go on?` : false);
  if (question !== false) command.option('--yes', 'Do it without asking');
  if (leaf.next !== undefined) command.option('--follow', 'Stay and show what comes of it');
  if (asksApproval(leaf)) command.addOption(waitOption());
  if (leaf.operation.kind === 'upload') command.requiredOption('--file <path>', 'The file to send');
  if (leaf.operation.kind === 'file') command.option('--out <path>', 'Where the file goes');
  // Only then it is known below which others it stands.
  command.addHelpText('after', () => `\nExample:\n  $ ${leaf.hint?.example ?? exampleOf(command, leaf)}`);
  return command.action(async (...args: unknown[]) => {
    const input = { ...readInput(args), ...(await fileOf(command)), ...(await readSecrets(command, leaf, context.terminal)) };
    const flags = command.opts<{ yes?: boolean; json?: boolean | string; follow?: boolean; wait?: number }>();
    if (question !== false && !flags.yes && !(await confirm(question, context.terminal))) return;
    await perform(flags.follow ? leaf : { ...leaf, next: undefined }, input, {
      command,
      context,
      style: { columns: leaf.hint?.columns, json: flags.json },
      wait_ms: flags.wait,
    });
  });
}

export function addOutputFlags(command: Command): Command {
  return command.option('--json [fields]', 'Write JSON; of each record only these fields, separated by commas');
}

interface Performance {
  command: Command;
  context: Context;
  style: OutputStyle;
  wait_ms?: number | undefined;
}

/** Runs an operation and writes its answer. */
async function perform(leaf: Leaf, input: object, { command, context, ...shown }: Performance): Promise<void> {
  const { style } = shown;
  // Who stays to see what comes of it needn't wait for the answer first.
  const given = leaf.next && leaf.operation.respond_async ? { respond_async: true, ...input } : input;
  await withSession(command, context, async (session) => {
    const following = { session, context, ...shown };
    if (leaf.operation.kind === 'stream') return (await import('./follow.js')).follow(leaf, input, following);
    const { Progress, showing } = await import('./progress.js');
    const { body } = await showing(new Progress(context.terminal, pathOf(command)), (progress) =>
      callIn(session, leaf, { input: given, signal: context.signal, sent: (done, total) => progress.at(done, total) }),
    );
    if (leaf.operation.kind === 'file') return save(body as FileAnswer, command.opts<{ out?: string }>().out, context.terminal);
    if (leaf.next === undefined) return print(body, style, context.terminal);
    const next = Object.fromEntries(leaf.next.keys.map((key) => [key, (body as Record<string, unknown>)[key]]));
    await (await import('./follow.js')).follow(leaf.next.leaf, next, following);
  });
}

function asksApproval({ hint, next }: Leaf): boolean {
  return hint?.text?.approvals === true || next?.leaf.hint?.text?.approvals === true;
}

/** For streams that may stop until somebody approves. */
export function waitOption(): Option {
  return new Option('--wait <time>', 'Where nobody can be asked here: wait so long for an approval that is given elsewhere, as 10m')
    .argParser((text) => durationOf(text, '--wait'))
    .default(0, 'not at all');
}

/** Opens the way to the installation that a command line names, for as long as the work takes. */
export async function withSession<T>(
  command: Command,
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { openSession } = await import('./session.js');
  const session = await openSession(command.optsWithGlobals<CommonFlags>(), terminal, signal);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** One call within a session. */
export async function callIn(
  session: Session,
  leaf: Leaf,
  { input = {}, ...options }: { input?: object } & CallOptions = {},
): Promise<Outcome> {
  return session.transport.call({ id: leaf.id, operation: leaf.operation, input, options });
}

async function fileOf(command: Command): Promise<object> {
  const { file } = command.opts<{ file?: string }>();
  if (file === undefined) return {};
  const { readFile } = await import('node:fs/promises');
  return { file: { name: file, bytes: await readFile(file) } };
}

function exampleOf(command: Command, { operation }: Leaf): string {
  const { properties = {} } = operation.input as JsonSchema;
  const id = (key: string) => (properties[key]?.format === 'uuid' ? '018f2c6e-0000-7000-8000-000000000000' : '7');
  const args = command.registeredArguments
    .filter((argument) => argument.required)
    .map((argument) => (/id$/.test(argument.name()) ? id(argument.name()) : dashed(argument.name())));
  const options = command.options
    .filter((option) => option.mandatory)
    .map((option) => `${option.long} ${option.long === '--file' ? 'bundle.zip' : 'text'}`);
  return [programOf(command), pathOf(command), ...args, ...options].join(' ');
}

function programOf(command: Command): string {
  return command.parent === null ? command.name() : programOf(command.parent);
}

/** The words of a command after the program's name: `member create`. */
function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();
}
