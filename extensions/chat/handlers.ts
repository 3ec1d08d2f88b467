import type { Call, Handlers } from '../../kernel/contract/index.js';
import type { Contacts } from './contacts.js';
import type { ChatApi, ReplyStream, Started } from './contract.js';
import type { SessionExport } from './export/session-export.js';
import type { Files } from './files/files.js';
import type { Images } from './images/images.js';
import type { Importer } from './imports/importer.js';
import type { Joins } from './joins.js';
import type { MessageChanges } from './message-changes.js';
import type { MessageReports } from './message-reports.js';
import type { Following, Streams } from './replies/streams.js';
import type { Rooms } from './rooms/rooms.js';
import type { Runs } from './runs.js';
import type { Search } from './search/search.js';
import type { Sender } from './sender.js';
import type { Service } from './service.js';
import type { SessionMembers } from './session-members.js';
import type { IdLookup } from './store/lookup.js';
import type { Unread } from './unread.js';
import type { Usage } from './usage.js';

export interface HandlerParts {
  service: Service;
  sessionMembers: SessionMembers;
  rooms: Rooms;
  sender: Sender;
  joins: Joins;
  unread: Unread;
  contacts: Contacts;
  images: Images;
  files: Files;
  usage: Pick<Usage, 'of'>;
  runs: Runs;
  streams: Streams;
  search: Search;
  lookup: Pick<IdLookup, 'find'>;
  changes: MessageChanges;
  reports: MessageReports;
  sessionExport: SessionExport;
  importer: Importer;
}

/** Returns the handlers of the operations. */
export function handlersOf(parts: HandlerParts): Handlers<ChatApi> {
  const { service, sessionMembers, rooms, sender, joins, images, files, runs, unread, contacts, streams, search, lookup, usage } = parts;
  const { changes, reports, sessionExport, importer } = parts;
  return {
    'sessions.list': (page, { caller }) => service.sessions(caller.member_id, page),
    'sessions.create': (input, { caller }) => sender.create(input, caller),
    'sessions.get': ({ session_id }, { caller }) => service.session(session_id, caller.member_id),
    'sessions.export': (input, { caller: { member_id }, signal }) => sessionExport.file(input, { member_id, signal }),
    'sessions.delete': async ({ session_id }, { caller }) => {
      await service.deleteSession(session_id, caller.member_id);
      return undefined;
    },
    'sessions.update': (change, { caller }) => rooms.update(change, caller),
    'sessions.join': ({ session_id }, { caller }) => rooms.join(session_id, caller),
    'sessions.notifications': (change, { caller }) => rooms.updateNotifications(change, caller),
    'rooms.list': (query, { caller }) => rooms.list(query, caller),
    'sessions.members': ({ session_id }, { caller }) => sessionMembers.list(session_id, caller),
    'sessions.add_member': async (input, call) => {
      const { answer, opened } = await sessionMembers.add(input, call.caller);
      if (opened) call.status(201);
      return answer;
    },
    'sessions.update_member': (change, { caller }) => sessionMembers.update(change, caller),
    'sessions.remove_member': async ({ session_id, member_id }, { caller }) => {
      await sessionMembers.remove(session_id, member_id, caller);
      return undefined;
    },
    'sessions.stream': async ({ session_id, after }, { caller, signal }) => {
      await service.session(session_id, caller.member_id);
      return streams.session(session_id, { member_id: caller.member_id, reads: true, after, signal });
    },
    'chat.send': { prepare: (input, { caller }) => sender.prepare(input, caller) },
    'chat.usage': (_input, { caller }) => usage.of(caller.member_id),
    'chat.lookup': (part, { caller }) => lookup.find(part, caller.member_id),
    'chat.abort': ({ message_id }, { caller }) => service.abort(message_id, caller.member_id),
    'unread.mark_read': ({ session_id }, { caller }) => unread.markRead(session_id, caller.member_id),
    'unread.counts': (_input, { caller }) => unread.counts(caller.member_id),
    'contacts.list': (query, { caller }) => contacts.list(query, caller.member_id),
    'contacts.start': async (input, call) => started(await contacts.start(input, call.caller), call),
    'images.get': ({ hash }, { caller }) => images.ofMember(hash, caller.member_id),
    'images.thumbnail': ({ hash }, { caller }) => images.thumbnail(hash, caller.member_id),
    'files.upload': { prepare: ({ file }, { caller }) => files.upload(file, caller.member_id) },
    'files.list': async (page, { caller }) => {
      const [found, stored] = await Promise.all([files.unsent(caller.member_id, page), usage.of(caller.member_id)]);
      return { ...found, ...stored };
    },
    'files.delete': async ({ file_id }, { caller }) => {
      await files.remove(file_id, caller.member_id);
      return undefined;
    },
    'files.get': ({ file_id }, { caller }) => files.get(file_id, caller.member_id),
    'files.thumbnail': ({ file_id }, { caller }) => files.thumbnail(file_id, caller.member_id),
    'messages.list': (page, { caller }) => service.messages(page, caller.member_id),
    'messages.search': (input, { caller }) => search.find(input, caller.member_id),
    'messages.get': ({ message_id }, { caller }) => service.message(message_id, caller.member_id),
    'messages.edit': (input, { caller }) => changes.edit(input, caller.member_id),
    'messages.delete': async ({ message_id }, { caller }) => {
      await changes.delete(message_id, caller.member_id);
      return undefined;
    },
    'messages.report': (input, { caller }) => reports.report(input, caller.member_id),
    'reactions.add': (input, { caller }) => changes.react(input, caller.member_id, true),
    'reactions.remove': (input, { caller }) => changes.react(input, caller.member_id, false),
    'messages.stream': ({ message_id, after }, { caller, signal }) =>
      follow(parts, { message_id, member_id: caller.member_id, reads: true, after, signal }),
    'runs.list': (query) => runs.list(query),
    'runs.get': ({ task_id }, { caller }) => runs.get(task_id, caller.member_id),
    'runs.abort': ({ task_id }) => runs.abort(task_id),
    'tasks.active': (_input, { caller }) => service.activeTasks(caller.member_id),
    'tasks.failed': ({ limit }, { caller }) => service.failedTasks(caller.member_id, limit),
    'tasks.get': ({ task_id }, { caller }) => service.task(task_id, caller.member_id),
    'tasks.cancel': ({ task_id }, { caller }) => service.cancel(task_id, caller.member_id),
    'imports.find': (query, { caller }) => importer.find(query, caller),
    'imports.write': (input, { caller }) => importer.write(input, caller),
    'imports.file': (input, { caller }) => importer.file(input, caller),
    'tasks.message': (input, { caller }) => joins.add(input, caller),
    'tasks.stream': async ({ task_id, after }, { caller, signal }) =>
      streams.reply(await service.task(task_id, caller.member_id), { member_id: caller.member_id, reads: true, after, signal }),
  };
}

interface Followed extends Following {
  message_id: string;
}

/** Streams the reply to a message, or the message itself if nobody answers it. */
export async function follow({ service, streams }: HandlerParts, { message_id, ...following }: Followed): Promise<ReplyStream> {
  const message = await service.message(message_id, following.member_id);
  if (message.task_id === null) return streams.message(message, following);
  const tasks = message.role === 'user' ? await service.tasksOf(message) : [];
  if (tasks.length > 1) return streams.replies(tasks, following);
  return streams.reply(tasks[0] ?? (await service.task(message.task_id, following.member_id)), following);
}

function started(found: Started, call: Call): Started {
  if (!found.created) call.status(200);
  return found;
}
