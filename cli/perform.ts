import type { Command } from 'commander';
import { Failure, isFailure } from '../kernel/contract/failure.js';
import type { FileAnswer } from '../kernel/contract/operation.js';
import type { JsonSchema } from '../kernel/contract/schema.js';
import { askSecret, canAsk, confirm, readAll } from './ask.js';
import { attachedFiles } from './attached-files.js';
import type { Context } from './command.js';
import { pathOf } from './command-path.js';
import { Declined, UsageError } from './exit.js';
import { answerDestination, save } from './file-answer.js';
import { dashed, type Leaf, words } from './flags.js';
import { assertFields, assertSucceeded, fieldsOf, type OutputStyle, printFormatted } from './output.js';
import { Progress, withProgress } from './progress.js';
import { References } from './references.js';
import { cell } from './table.js';
import type { Terminal } from './terminal.js';
import { callIn, withSession } from './within-session.js';

export interface Performance {
  command: Command;
  context: Context;
  /** Input from the command line. */
  input: Record<string, unknown>;
  /** Question asked first unless `--yes` is set. */
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

/** Runs the command of an operation: asks for confirmation and secrets, calls the operation, and writes its response. */
export async function perform(leaf: Leaf, { command, context, input: typedInput, question }: Performance): Promise<void> {
  const flags = command.opts<Flags>();
  const attached = await attachedFiles(leaf, command, typedInput);
  const commandInput = attached.input;
  const fields = answerFields(leaf, flags);
  assertFields(flags.json, fields);
  const confirmation = question !== false && !flags.yes && needsConfirmation(leaf, commandInput) ? question : undefined;
  const destination = leaf.operation.kind === 'file' ? await answerDestination(flags.out, context.terminal) : undefined;
  const file = await fileOf(leaf, flags.file ?? commandInput.file, context);
  const style = { columns: leaf.hint?.columns, json: flags.json, fields };
  await withSession(command, context, async (session) => {
    // Report a target that doesn't exist before asking anything, also without a terminal.
    const references = new References(leaf, session, context.signal);
    const resolved = await references.resolve(commandInput);
    if (confirmation !== undefined && !(await confirm(await references.question(confirmation, resolved), context.terminal)))
      throw new Declined(nothingDone(pathOf(command)));
    const secrets = await readSecrets(command, leaf, context.terminal);
    const input = { ...resolved, ...file, ...secrets, ...(await attached.upload(session, context)) };
    const following = { session, context, style, wait_ms: flags.wait };
    if (leaf.operation.kind === 'stream') return (await import('./follow.js')).follow(leaf, input, following);
    const next = flags.follow ? leaf.next : undefined;
    // `--follow` shows the result, so the call itself need not wait for it.
    const sent = next && leaf.operation.respond_async ? { respond_async: true, ...input } : input;
    const { body } = await withProgress(new Progress(context.terminal, pathOf(command)), (progress) =>
      callIn(session, leaf, { input: sent, signal: context.signal, ...progress.listening }),
    ).catch((fault: unknown) => {
      throw withSecretHint(fault, leaf, sent);
    });
    if (destination !== undefined) return save(body as FileAnswer, destination, context);
    if (next === undefined) return writeResponse(body, leaf, { command, style, terminal: context.terminal });
    const keys = Object.fromEntries(next.keys.map((key) => [key, (body as Record<string, unknown>)[key]]));
    await (await import('./follow.js')).followOn(next.leaf, keys, { ...following, several: hasSeveralTasks(body) });
  });
}

function needsConfirmation({ hint }: Leaf, input: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(hint?.confirm_if ?? {}).every(([key, value]) => input[key] === value);
}

/** Returns whether several AI employees answer. */
function hasSeveralTasks(body: unknown): boolean {
  const { task_ids } = (body ?? {}) as { task_ids?: unknown };
  return Array.isArray(task_ids) && task_ids.length > 1;
}

/** Returns the fields of the answer that `--json` may select, for a call that changes something; undefined if they are open. */
function answerFields({ operation: { method, kind, answer } }: Leaf, { follow = false }: Flags): readonly string[] | undefined {
  return method === 'GET' || kind === 'stream' || follow ? undefined : fieldsOf(answer);
}

interface ResponseOutput {
  command: Command;
  style: OutputStyle;
  terminal: Terminal;
}

/** Writes the response. For an empty one a terminal gets a line that confirms the work; one that reports a failure fails the command. */
async function writeResponse(body: unknown, leaf: Leaf, { command, style, terminal }: ResponseOutput): Promise<void> {
  const isEmpty = body === undefined || body === null || body === '';
  if (isEmpty && style.json === undefined && terminal.stdout.isTTY) terminal.stderr.write(`${doneLine(pathOf(command), command.args)}\n`);
  await printFormatted(body, { ...style, markdown: leaf.hint?.markdown, named: leaf.hint?.named }, terminal);
  assertSucceeded(leaf, body);
}

/** Reads the file that an upload sends. */
async function fileOf({ operation }: Leaf, path: unknown, { terminal }: Context): Promise<object> {
  if (operation.kind !== 'upload' || typeof path !== 'string') return {};
  return { file: await (await import('./file-source.js')).readSentFile(path, terminal) };
}

/**
 * Reads the secrets of an input: those with `--…-stdin` from standard input, one a line; asks for the others
 * without echo. They are never flags, because every process could read those.
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

/** Adds how to pass a secret to a failure that misses it: a schema may require it only in some cases, so nothing asked for it. */
function withSecretHint(fault: unknown, { hint }: Leaf, input: object): unknown {
  if (!isFailure(fault) || fault.fix !== undefined) return fault;
  const missing = hint?.secrets?.find((key) => !(key in input) && fault.details?.some(({ path }) => path === key));
  if (missing === undefined) return fault;
  const { code, message, status, details } = fault;
  return new Failure(code, message, { status, details, fix: stdinHint(missing), cause: fault });
}

function stdinHint(key: string): string {
  return `pipe it in with --${dashed(key)}-stdin`;
}

async function askFor(key: string, leaf: Leaf, terminal: Terminal): Promise<string> {
  const required = (leaf.operation.input as JsonSchema).required?.includes(key) === true;
  if (canAsk(terminal)) return askSecret(`${capital(words(key))}${required ? '' : ' (empty for none)'}: `, terminal);
  if (!required) return '';
  throw new UsageError(`The ${words(key)} is missing`, stdinHint(key));
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

/** Returns the message for a person who answered no. */
function nothingDone(path: string): string {
  return `Nothing was ${participleOf(path) ?? 'changed'}`;
}

/** Returns the line for an empty response: `Deleted: member 3`. */
function doneLine(path: string, args: readonly string[]): string {
  const participle = participleOf(path) ?? 'done';
  const words = path.split(' ');
  const subject = participleOf(path) === undefined || words.length < 2 ? words : words.slice(0, -1);
  return `${capital(participle)}: ${[...subject, ...args].map(cell).join(' ')}`;
}
