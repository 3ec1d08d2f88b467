import type { Handlers } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';
import type { Sender } from './sender.js';
import type { Service } from './service.js';
import type { Streams } from './streams.js';

interface HandlerParts {
  service: Service;
  sender: Sender;
  streams: Streams;
}

/** The function behind each operation. */
export function handlersOf({ service, sender, streams }: HandlerParts): Handlers<ChatApi> {
  return {
    'sessions.list': (page, { caller }) => service.sessions(caller.member_id, page),
    'sessions.create': (input, { caller }) => sender.open(input, caller),
    'sessions.get': ({ session_id }, { caller }) => service.session(session_id, caller.member_id),
    'sessions.delete': async ({ session_id }, { caller }) => {
      await service.deleteSession(session_id, caller.member_id);
      return undefined;
    },
    'sessions.stream': async ({ session_id, after }, { caller, signal }) => {
      await service.session(session_id, caller.member_id);
      return streams.session(session_id, { after, signal });
    },
    'chat.send': (input, { caller }) => sender.send(input, caller),
    'chat.abort': ({ message_id }, { caller }) => service.abort(message_id, caller.member_id),
    'messages.list': (page, { caller }) => service.messages(page, caller.member_id),
    'messages.get': ({ message_id }, { caller }) => service.message(message_id, caller.member_id),
    'messages.stream': async ({ message_id, after }, { caller, signal }) => {
      const message = await service.message(message_id, caller.member_id);
      if (message.task_id === null) return streams.message(message);
      return streams.reply(await service.task(message.task_id, caller.member_id), { after, signal });
    },
    'tasks.active': (_input, { caller }) => service.activeTasks(caller.member_id),
    'tasks.get': ({ task_id }, { caller }) => service.task(task_id, caller.member_id),
    'tasks.cancel': ({ task_id }, { caller }) => service.cancel(task_id, caller.member_id),
    'tasks.stream': async ({ task_id, after }, { caller, signal }) =>
      streams.reply(await service.task(task_id, caller.member_id), { after, signal }),
  };
}
