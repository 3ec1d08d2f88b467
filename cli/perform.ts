import type { Command } from 'commander';
import type { FileAnswer } from '../kernel/contract/operation.js';
import { confirm } from './ask.js';
import type { Context } from './command.js';
import { pathOf } from './command-path.js';
import { save } from './file-answer.js';
import type { Leaf } from './flags.js';
import { print } from './output.js';
import { Progress, showing } from './progress.js';
import { readSecrets } from './secrets.js';
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
  const input = { ...given, ...(await fileOf(leaf, flags.file ?? given.file)), ...(await readSecrets(command, leaf, context.terminal)) };
  if (question !== false && !flags.yes && !(await confirm(question, context.terminal))) return;
  const style = { columns: leaf.hint?.columns, json: flags.json };
  await withSession(command, context, async (session) => {
    const following = { session, context, style, wait_ms: flags.wait };
    if (leaf.operation.kind === 'stream') return (await import('./follow.js')).follow(leaf, input, following);
    const next = flags.follow ? leaf.next : undefined;
    // Who stays to see what comes of it needn't wait for the answer first.
    const asked = next && leaf.operation.respond_async ? { respond_async: true, ...input } : input;
    const { body } = await showing(new Progress(context.terminal, pathOf(command)), (progress) =>
      callIn(session, leaf, { input: asked, signal: context.signal, ...progress.listening }),
    );
    if (leaf.operation.kind === 'file') return save(body as FileAnswer, flags.out, context.terminal);
    if (next === undefined) return print(body, style, context.terminal);
    const keys = Object.fromEntries(next.keys.map((key) => [key, (body as Record<string, unknown>)[key]]));
    await (await import('./follow.js')).followOn(next.leaf, keys, following);
  });
}

/** What an upload sends: the file at a path. */
async function fileOf({ operation }: Leaf, path: unknown): Promise<object> {
  if (operation.kind !== 'upload' || typeof path !== 'string') return {};
  return { file: await (await import('./sent-file.js')).readSentFile(path) };
}
