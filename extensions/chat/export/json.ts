import type { Message, Session } from '../contract.js';

/** Fields of the session that are the same for all of its members. */
const shared = ['id', 'title', 'topic', 'target_type', 'target_id', 'visibility', 'created_at'] as const;

/** Returns the beginning of the exported document, up to the list of messages. */
export function jsonHead(session: Session, exported_at: string): string {
  const about = Object.fromEntries(shared.map((key) => [key, session[key]]));
  return `{"exported_at":${JSON.stringify(exported_at)},"session":${JSON.stringify(about)},"messages":[`;
}

/** Returns a message on a line of its own, without the fields that say nothing. */
export function jsonMessage(message: Message, isFirst: boolean): string {
  const fields = Object.entries(message).filter(([key, value]) => key !== 'session_id' && !isEmpty(value));
  return `${isFirst ? '' : ','}\n${JSON.stringify(Object.fromEntries(fields))}`;
}

export const jsonEnd = '\n]}\n';

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
}
