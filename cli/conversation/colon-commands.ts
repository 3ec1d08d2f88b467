import { describeAttachment, readAttachment } from '../../kernel/client/attachments.js';
import type { MentionCompletion } from '../../kernel/client/mention-completion.js';
import { completePath } from '../../kernel/client/path-completion.js';
import { UsageError } from '../exit.js';
import { print } from '../output.js';
import type { SessionRecord } from './conversation.js';
import type { Dialogue } from './dialogue.js';
import { type FilePlace, fileNames, saveFile } from './saved-files.js';
import { roomTitles, sessionIdOf } from './session-reference.js';

/** A command for the command line itself, not for the AI employee: it begins with a colon. */
export interface ColonCommand {
  usage: string;
  about: string;
  /** Returns `leave` to end the conversation. */
  run(dialogue: Dialogue, rest: string): Promise<'leave' | undefined>;
  /** Returns the completions of a beginning of its value. */
  complete?(rest: string, place: FilePlace): Promise<Omit<MentionCompletion, 'word'>>;
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
      dialogue.say('A file is sent with a message that names it: @report.pdf, @"my report.pdf". Tab completes a path after @.');
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
    complete: async (rest, { api }) => ({ matches: await roomTitles(rest, api), more: 0 }),
  },
  attach: {
    usage: ':attach <file>',
    about: 'Send an image or a file with the next message',
    async run(dialogue, rest) {
      if (rest === '') throw new UsageError(':attach needs a file', 'as in: :attach photo.png');
      dialogue.conversation.attach(await readAttachment(rest));
      dialogue.say(`Attached to your next message: ${dialogue.conversation.attachments.map(describeAttachment).join(', ')}`);
      return undefined;
    },
    async complete(rest) {
      const { paths, more } = await completePath(rest);
      return { matches: paths, more };
    },
  },
  detach: {
    usage: ':detach',
    about: 'Send the next message without what is attached',
    async run(dialogue) {
      dialogue.conversation.detach();
      dialogue.say('Nothing is attached to your next message');
      return undefined;
    },
  },
  save: {
    usage: ':save <file>',
    about: 'Save a file or an image of this conversation',
    async run(dialogue, rest) {
      await saveFile(rest, dialogue, { ask: (question) => dialogue.ask(question), say: (line) => dialogue.say(line) });
      return undefined;
    },
    complete: fileNames,
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
  const command = commandNamed(name);
  if (command === undefined)
    throw new UsageError(`There is no command ':${name}'`, ':help lists them; to send it as a message, begin with a space');
  return { command, rest: rest.trim() };
}

/** Completes the value of a command, or its name; undefined if the text is no command, or if its value can't be completed. */
export function colonCompletion(before: string, place: FilePlace): Promise<MentionCompletion> | undefined {
  const [, name = '', rest] = /^:([a-z]*)(?: +(.*))?$/.exec(before) ?? [];
  if (!before.startsWith(':')) return undefined;
  if (rest !== undefined)
    return commandNamed(name)
      ?.complete?.(rest, place)
      .then((found) => ({ word: rest, ...found }));
  const matches = Object.keys(commands).filter((one) => one.startsWith(name));
  return name === '' ? undefined : Promise.resolve({ word: before, matches: matches.map((one) => `:${one} `), more: 0 });
}

function commandNamed(name: string): ColonCommand | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/** Returns the latest conversations with AI employees and rooms. */
async function recentSessions({ api }: Dialogue): Promise<SessionRecord[]> {
  const list = (target_type: string) => api.call<SessionRecord[]>('sessions.list', { target_type, limit: max_sessions });
  const sessions = (await Promise.all([list('ai'), list('room')])).flat();
  const newest = (one: SessionRecord, other: SessionRecord) => (other.last_message_at ?? '').localeCompare(one.last_message_at ?? '');
  return sessions.sort(newest).slice(0, max_sessions);
}
