import { UsageError } from '../exit.js';
import { print } from '../output.js';
import { readAttachment } from './attachment.js';
import type { SessionRecord } from './conversation.js';
import type { Dialogue } from './dialogue.js';
import { sessionIdOf } from './session-reference.js';

/** A command for the command line itself, not for the AI employee: it begins with a colon. */
export interface ColonCommand {
  usage: string;
  about: string;
  /** Returns `leave` to end the conversation. */
  run(dialogue: Dialogue, rest: string): Promise<'leave' | undefined>;
}

interface PendingApproval {
  session_id: string;
  task_id: string;
}

const max_sessions = 20;

const commands: Readonly<Record<string, ColonCommand>> = {
  help: {
    usage: ':help',
    about: 'Show this help',
    async run(dialogue) {
      for (const { usage, about } of Object.values(commands)) dialogue.say(about, usage.padEnd(22));
      dialogue.say('Commands with / go to the AI employee: /help, /tools. Ctrl-C stops a reply, Ctrl-D leaves.');
      if (dialogue.conversation.isRoom)
        dialogue.say('In a room, mention whom you want to answer: @name /help. Tab completes a name after @.');
      return undefined;
    },
  },
  new: {
    usage: ':new [employee]',
    about: 'Start a new conversation, with the same AI employee or another',
    async run(dialogue, rest) {
      await dialogue.conversation.begin(rest === '' ? undefined : rest);
      await dialogue.enter();
      return undefined;
    },
  },
  sessions: {
    usage: ':sessions',
    about: 'List your rooms, and your conversations with AI employees',
    async run(dialogue) {
      const rows = (await recentSessions(dialogue)).map((session, index) => ({ number: index + 1, ...session }));
      print(rows, { columns: ['number', 'title', 'last_message_at', 'last_message_preview'] }, dialogue.terminal);
      return undefined;
    },
  },
  open: {
    usage: ':open <number|id|room>',
    about: 'Continue a conversation, or go to a room',
    async run(dialogue, rest) {
      const id = /^\d{1,3}$/.test(rest)
        ? (await recentSessions(dialogue))[Number(rest) - 1]?.id
        : rest && (await sessionIdOf(rest, dialogue.api));
      if (!id) throw new UsageError(`There is no conversation '${rest}'`, 'list them with :sessions');
      await dialogue.conversation.open(id);
      await dialogue.enter();
      return undefined;
    },
  },
  attach: {
    usage: ':attach <file>',
    about: 'Send an image with the next message',
    async run(dialogue, rest) {
      if (rest === '') throw new UsageError(':attach needs a file', 'as in: :attach photo.png');
      dialogue.conversation.attach(await readAttachment(rest));
      dialogue.say(`Attached to your next message: ${dialogue.conversation.attachments.map(({ name }) => name).join(', ')}`);
      return undefined;
    },
  },
  approvals: {
    usage: ':approvals',
    about: 'Return to the work that waits for your approval in this conversation',
    async run(dialogue) {
      const pending = await dialogue.api.call<PendingApproval[]>('approvals.list', { status: 'pending', limit: 200 });
      const [next] = pending.filter(({ session_id }) => session_id === dialogue.conversation.session_id);
      if (next === undefined) dialogue.say('Nothing waits for your approval here');
      else await dialogue.show({ task_id: next.task_id });
      return undefined;
    },
  },
  quit: {
    usage: ':quit',
    about: 'Leave',
    async run() {
      return 'leave';
    },
  },
};

/** Returns the command in a line; undefined if it is a message. A leading space sends a line that looks like a command. */
export function parseColonCommand(line: string): { command: ColonCommand; rest: string } | undefined {
  const [, name = '', rest = ''] = /^:([a-z]{2,})(?:\s+(.*))?$/s.exec(line) ?? [];
  if (name === '') return undefined;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw new UsageError(`There is no command ':${name}'`, ':help lists them; to send it as a message, begin with a space');
  return { command, rest: rest.trim() };
}

/** Returns the latest conversations with AI employees and rooms. */
async function recentSessions({ api }: Dialogue): Promise<SessionRecord[]> {
  const list = (target_type: string) => api.call<SessionRecord[]>('sessions.list', { target_type, limit: max_sessions });
  const sessions = (await Promise.all([list('ai'), list('room')])).flat();
  const newest = (one: SessionRecord, other: SessionRecord) => (other.last_message_at ?? '').localeCompare(one.last_message_at ?? '');
  return sessions.sort(newest).slice(0, max_sessions);
}
