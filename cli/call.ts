import type { Command } from 'commander';
import { failures } from '../kernel/contract/failure.js';
import type { FileAnswer } from '../kernel/contract/operation.js';
import { readAll } from './ask.js';
import { builtinCatalog, type Catalog, leafOf } from './catalog.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { answerDestination, save } from './file-answer.js';
import { readSentFile } from './file-source.js';
import { follow } from './follow.js';
import { assertSucceeded, print } from './output.js';
import type { Session } from './session.js';
import { callIn, withSession } from './within-session.js';

const fail = failures({ operation_not_found: 404 });

/** Runs an operation with JSON input. Writes the response as JSON, or as a table on a terminal; stream events take a line each. */
export async function call(id: string | undefined, command: Command, context: Context): Promise<void> {
  const flags = command.opts<{ json?: string; file?: string; out?: string }>();
  const jsonInput = await inputOf(flags.json, context);
  await withSession(command, context, async (session) => {
    if (id === undefined) return list(await loadedCatalog(session), context);
    const operation = await find(id, session);
    if (flags.file !== undefined && operation.kind !== 'upload') throw new UsageError(`'${id}' does not accept a file`, 'leave out --file');
    const input = { ...jsonInput, ...(await fileOf(flags, context)) };
    const style = { json: true };
    const destination = operation.kind === 'file' ? await answerDestination(flags.out, context.terminal) : undefined;
    if (operation.kind === 'stream') return follow({ id, operation }, input, { session, context, style });
    const { body } = await callIn(session, { id, operation }, { input, signal: context.signal });
    if (destination !== undefined) return save(body as FileAnswer, destination, context);
    const hint = builtinCatalog().commands.find((hint) => hint.operation === id);
    const isTerminal = context.terminal.stdout.isTTY === true;
    if (body !== undefined) print(body, isTerminal ? { columns: hint?.columns } : style, context.terminal);
    assertSucceeded({ id, hint }, body);
  });
}

/** Fetches the operations and commands loaded in an installation, including those of plugins. */
export async function loadedCatalog(session: Session, signal?: AbortSignal): Promise<Pick<Catalog, 'operations' | 'commands'>> {
  const { body } = await callIn(session, leafOf('catalog.get'), { signal });
  return body as Pick<Catalog, 'operations' | 'commands'>;
}

async function find(id: string, session: Session) {
  const known = builtinCatalog().operations[id];
  if (known !== undefined) return known;
  const { operations } = await loadedCatalog(session);
  const found = Object.hasOwn(operations, id) ? operations[id] : undefined;
  if (found === undefined) throw fail('operation_not_found', `There is no operation '${id}'`);
  return found;
}

function list({ operations }: Pick<Catalog, 'operations'>, { terminal }: Context): void {
  const rows = Object.entries(operations).map(([operation, { summary }]) => ({ operation, summary }));
  print(
    rows.sort((a, b) => (a.operation < b.operation ? -1 : 1)),
    { columns: ['operation', 'summary'] },
    terminal,
  );
}

async function inputOf(json: string | undefined, { terminal }: Context): Promise<object> {
  if (json === undefined) return {};
  const text = json === '-' ? await readAll(terminal) : json;
  const input = parse(text);
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  throw new UsageError('The input must be a JSON object', 'as in: --json \'{"id":7}\'');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The input is not JSON: ${(error as Error).message}`, 'as in: --json \'{"id":7}\'');
  }
}

async function fileOf({ file, json }: { file?: string; json?: string }, { terminal }: Context): Promise<object> {
  if (file === '-' && json === '-') throw new UsageError('--json and --file both read standard input', 'give one of them another value');
  return file === undefined ? {} : { file: await readSentFile(file, terminal) };
}
