import type { ChatService } from './contract.js';
import { follow, type HandlerParts } from './handlers.js';
import type { Ports } from './ports.js';

/** What other extensions in this process get of chat. */
export function serviceOf(parts: HandlerParts, { sessions, tasks }: Ports): ChatService {
  return {
    session: (id, member_id) => sessions.get(id, member_id),
    participants: (session_id) => sessions.participants(session_id),
    working: (member_ids) => tasks.working(member_ids),
    send: async (input, asker) => (await parts.sender.prepare(input, asker))(),
    async *follow(message_id, member_id, following) {
      yield* await follow(parts, { message_id, member_id, reads: false, ...following });
    },
  };
}
