import type { Command } from 'commander';
import type { FileAnswer } from '../kernel/contract/operation.js';
import type { JsonSchema } from '../kernel/contract/schema.js';
import { askSecret, canAsk, confirm, readAll } from './ask.js';
import type { Context } from './command.js';
import { pathOf } from './command-path.js';
import { Declined, UsageError } from './exit.js';
import { answerDestination, save } from './file-answer.js';
import { dashed, type Leaf, words } from './flags.js';
import { assertSucceeded, type OutputStyle, print } from './output.js';
import { Progress, showing } from './progress.js';
import { References } from './references.js';
import { cell } from './table.js';
import type { Terminal } from './terminal.js';
import { callIn, withSession } from './within-session.js';

export interface Performance {
  command: Command;
  context: Context;
  /** What the command line gave. */
  input: Record<string, unknown>;
  /** Asked first, unless `--yes` says so already. */
  question: string | false;
}

interface Flags {
  yes?: boolean;
  json?: boolean | string;
  follow?: boolean;
  wait?: number;
  file?: string;
  out?: string;
}

/** Does what a command of an operation is for: asks what is to be asked, runs the operation, and writes its answer. */
export async function perform(leaf: Leaf, { command, context, input: given, question }: Performance): Promise<void> {
  const flags = command.opts<Flags>();
  const asked = question !== false && !flags.yes ? question : undefined;
  const destination = leaf.operation.kind === 'file' ? await answerDestination(flags.out, context.terminal) : undefined;
  const file = await fileOf(leaf, flags.file ?? given.file, context);
  const style = { columns: leaf.hint?.columns, json: flags.json };
  await withSession(command, context, async (session) => {
    // Report a target that doesn't exist before asking anything, also without a terminal.
    const references = new References(leaf, session, context.signal);
    const named = await references.resolve(given);
    if (asked !== undefined && !(await confirm(await references.question(asked, named), context.terminal)))
      throw new Declined(nothingDone(pathOf(command)));
    const input = { ...named, ...file, ...(await readSecrets(command, leaf, context.terminal)) };
    const following = { session, context, style, wait_ms: flags.wait };
    if (leaf.operation.kind === 'stream') return (await import('./follow.js')).follow(leaf, input, following);
    const next = flags.follow ? leaf.next : undefined;
    // Who stays to see what comes of it needn't wait for the answer first.
    const sent = next && leaf.operation.respond_async ? { respond_async: true, ...input } : input;
    const { body } = await showing(new Progress(context.terminal, pathOf(command)), (progress) =>
      callIn(session, leaf, { input: sent, signal: context.signal, ...progress.listening }),
    );
    if (destination !== undefined) return save(body as FileAnswer, destination, context);
    if (next === undefined) return answered(body, leaf, { command, style, terminal: context.terminal });
    const keys = Object.fromEntries(next.keys.map((key) => [key, (body as Record<string, unknown>)[key]]));
    await (await import('./follow.js')).followOn(next.leaf, keys, following);
  });
}

interface Answering {
  command: Command;
  style: OutputStyle;
  terminal: Terminal;
}

/** Writes the answer. An empty one is said to have been given on a terminal; one that tells of a failure fails the command. */
function answered(body: unknown, leaf: Leaf, { command, style, terminal }: Answering): void {
  const isEmpty = body === undefined || body === null || body === '';
  if (isEmpty && style.json === undefined && terminal.stdout.isTTY) terminal.stderr.write(`${doneLine(pathOf(command), command.args)}\n`);
  print(body, style, terminal);
  assertSucceeded(leaf, body);
}

/** What an upload sends: the file at a path. */
async function fileOf({ operation }: Leaf, path: unknown, { terminal }: Context): Promise<object> {
  if (operation.kind !== 'upload' || typeof path !== 'string') return {};
  return { file: await (await import('./file-source.js')).readSentFile(path, terminal) };
}

/**
 * The secrets of an input: a line each of standard input for those with `--…-stdin`; the others are asked
 * for without echo. They never stand in a flag, where every process could read them.
 */
async function readSecrets(command: Command, leaf: Leaf, terminal: Terminal): Promise<Record<string, string>> {
  const keys = leaf.hint?.secrets ?? [];
  const piped = keys.filter((key) => command.opts()[attribute(key)] === true);
  const lines = piped.length > 0 ? (await readAll(terminal)).split(/\r?\n/) : [];
  const found: Record<string, string> = Object.fromEntries(piped.map((key, index) => [key, lines[index] ?? '']));
  for (const key of keys.filter((one) => !piped.includes(one))) {
    const secret = await askFor(key, leaf, terminal);
    if (secret !== '') found[key] = secret;
  }
  return found;
}

async function askFor(key: string, leaf: Leaf, terminal: Terminal): Promise<string> {
  const required = (leaf.operation.input as JsonSchema).required?.includes(key) === true;
  if (canAsk(terminal)) return askSecret(`${capital(words(key))}${required ? '' : ' (empty for none)'}: `, terminal);
  if (!required) return '';
  throw new UsageError(`The ${words(key)} is needed`, `pipe it in with --${dashed(key)}-stdin`);
}

function attribute(key: string): string {
  return `${key}_stdin`.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Past participles by the last word of a command. */
const participles: Readonly<Record<string, string>> = {
  approve: 'approved',
  delete: 'deleted',
  distrust: 'distrusted',
  install: 'installed',
  revoke: 'revoked',
  rm: 'removed',
  run: 'started',
  send: 'sent',
  stop: 'stopped',
  trust: 'trusted',
  yank: 'withdrawn',
  add: 'added',
  remove: 'removed',
  reset: 'reset',
  transfer: 'transferred',
};

/** Returns the participle of a command: `deleted` for `member delete`, `removed` for `chat remove-plugin`. */
function participleOf(path: string): string | undefined {
  const last = path.split(' ').at(-1) ?? '';
  return participles[last] ?? participles[last.split('-')[0] ?? ''];
}

/** For a person who has answered a question with no. */
function nothingDone(path: string): string {
  return `Nothing was ${participleOf(path) ?? 'changed'}`;
}

/** For a command whose answer is empty: `Deleted: member 3`. */
function doneLine(path: string, args: readonly string[]): string {
  const participle = participleOf(path) ?? 'done';
  const words = path.split(' ');
  const named = participleOf(path) === undefined || words.length < 2 ? words : words.slice(0, -1);
  return `${capital(participle)}: ${[...named, ...args].map(cell).join(' ')}`;
}
