import type { Command } from 'commander';
import { builtinCatalog } from '../catalog.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import { followOn } from '../follow.js';
import { remark } from '../remark.js';
import type { CommonFlags, Session } from '../session.js';
import { withSession } from '../within-session.js';
import { Api } from './api.js';
import { Conversation } from './conversation.js';
import { Dialogue } from './dialogue.js';
import { notInRoom } from './not-in-room.js';
import { sessionIdOf } from './session-reference.js';

interface TalkFlags extends CommonFlags {
  to?: string;
  session?: string;
  room?: string;
  wait: number;
}

/** Runs a conversation with a person on a terminal, or with lines from a pipe. */
export async function talk(command: Command, context: Context): Promise<void> {
  const flags = command.optsWithGlobals<TalkFlags>();
  const [unknownWord] = command.args;
  if (unknownWord !== undefined)
    throw new UsageError(
      `unknown command '${unknownWord}'${await suggestion(unknownWord, command)}`,
      'add --help to see the commands; send a message with: platform chat send',
    );
  assertOnePartner(flags);
  await withSession(command, context, async (session) => {
    const api = new Api(session);
    const conversation = new Conversation(api);
    const existing = flags.room ?? flags.session;
    if (existing === undefined) await conversation.begin(flags.to);
    else await conversation.open(await sessionIdOf(existing, api));
    const { stdin, stdout } = context.terminal;
    if (stdin.isTTY && stdout.isTTY) await new Dialogue({ api, session, conversation, context, debug: flags.debug ?? false }).run();
    else await talkThroughPipe(conversation, { session, context, wait_ms: flags.wait });
  });
}

function assertOnePartner({ to, session, room }: TalkFlags): void {
  const [first, second] = Object.entries({ to, session, room }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`]));
  if (second !== undefined)
    throw new UsageError(`${first} and ${second} exclude each other: a session already has its partner`, 'leave out one of them');
}

/** Returns the nearest command as commander suggests it; empty if none is near. */
async function suggestion(word: string, { parent }: Command): Promise<string> {
  const { nearestName } = await import('../../kernel/contract/nearest.js');
  const near = nearestName(word, parent?.commands.map((command) => command.name()) ?? []);
  return near === undefined ? '' : `\n(Did you mean ${near}?)`;
}

interface Piped {
  session: Session;
  context: Context;
  wait_ms: number;
}

/** Sends each line as a message, and waits for its reply. The first failure ends it. */
async function talkThroughPipe(conversation: Conversation, { session, context, wait_ms }: Piped): Promise<void> {
  const { createInterface } = await import('node:readline');
  const { operations, commands } = builtinCatalog();
  const id = 'messages.stream';
  const leaf = {
    id,
    operation: operations[id] as NonNullable<(typeof operations)[string]>,
    hint: commands.find((hint) => hint.operation === id),
  };
  const { signal, terminal } = context;
  for await (const line of createInterface({ input: terminal.stdin, signal })) {
    if (line.trim() === '') continue;
    const { message_id, task_ids, not_in_room } = await conversation.send(line, signal);
    if (not_in_room.length > 0) remark(notInRoom(not_in_room), terminal);
    await followOn(leaf, { message_id }, { session, context, style: {}, wait_ms, several: task_ids.length > 1 });
  }
  signal.throwIfAborted();
}
