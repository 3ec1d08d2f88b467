import type { Attachment } from './attachments.js';
import { person as habits } from './model.js';
import type { Listed, Person } from './person.js';
import type { MessageRecord } from './timelines.js';
import { randomOf, randomText } from './words.js';

interface MemberRecord {
  id: number;
  username: string;
}

/** Members of a room from which on nobody is shown as typing (`MaxNotificationsPerChannel`). */
const max_typing = 1_000;
const links = ['https://github.com', 'https://example.com/watch?v=5jompL6G', 'https://nodejs.org', 'https://example.org'];
/** Words of a message, and of a reply. */
const average_words = { message: 35, reply: 24 };

export async function markRead(person: Person, session_id: string): Promise<void> {
  await person.ask({ operation: 'unread.mark_read', method: 'POST', path: '/api/chat/mark-read', body: { session_id } });
}

export async function listSessions(person: Person): Promise<void> {
  const found = await person.ask<Listed[]>({ operation: 'sessions.list', path: '/api/chat/sessions?limit=200' });
  if (!found) return;
  person.sessions.clear();
  for (const { id, title, target_type, member_count } of found) person.sessions.set(id, { id, title, target_type, member_count });
}

export async function countUnread(person: Person): Promise<void> {
  await person.ask({ operation: 'unread.counts', path: '/api/chat/unread-counts' });
}

export async function getSession(person: Person, session_id: string): Promise<Listed | undefined> {
  const found = await person.ask<Listed>({ operation: 'sessions.get', path: `/api/chat/sessions/${session_id}` });
  if (found) person.sessions.set(session_id, found);
  return found;
}

/** Reads a page of messages. Returns the oldest one's id, undefined for an empty page. */
export async function readMessages(person: Person, query: string): Promise<{ count: number; oldest: string | undefined }> {
  const found = (await person.ask<MessageRecord[]>({ operation: 'messages.list', path: `/api/chat/messages?${query}` })) ?? [];
  for (const message of found) {
    person.world.timelines.add(message);
    if (message.sender_id !== null) person.known.add(message.sender_id);
  }
  for (const { id } of found.flatMap(({ files }) => files)) await showImage(person, id);
  return { count: found.length, oldest: found[0]?.id };
}

/** Loads an image as theirs does: small, and then larger. A message has no other files. */
async function showImage(person: Person, file_id: string): Promise<void> {
  await person.ask({ operation: 'files.thumbnail', path: `/api/chat/files/${file_id}/thumbnail` });
  await person.ask({ operation: 'files.get', path: `/api/chat/files/${file_id}` });
}

/** Uploads images, one after the other. Returns the ids of those that were stored. */
async function upload(person: Person, attachments: readonly Attachment[]): Promise<string[]> {
  const ids: string[] = [];
  for (const file of attachments) {
    const stored = await person.ask<{ id: string }>({ operation: 'files.upload', method: 'POST', path: '/api/chat/files', file });
    if (stored) ids.push(stored.id);
  }
  return ids;
}

/** Opens a session. The shown one stays shown until {@link show}. */
export async function open(person: Person, session_id: string): Promise<void> {
  if (person.shown !== undefined) await markRead(person, person.shown);
  // 30 read and 30 unread ones; later only the newest, because what is known isn't read again.
  const limit = person.opened.has(session_id) ? 30 : 60;
  person.opened.add(session_id);
  await readMessages(person, `session_id=${session_id}&threads=roots&limit=${limit}`);
  await getSession(person, session_id);
  await markRead(person, session_id);
}

export async function show(person: Person, session_id: string): Promise<void> {
  await open(person, session_id);
  person.shown = session_id;
  person.oldest = undefined;
}

export async function showAnother(person: Person): Promise<void> {
  const room = person.otherRoom();
  if (room) await show(person, room.id);
}

/** Reads what a page needs that is loaded again. */
export async function reload(person: Person): Promise<void> {
  const { shown } = person;
  await listMembers(person, 'page_size=100');
  await person.ask({ operation: 'members.settings', path: '/api/members/me/settings' });
  if (shown !== undefined) await markRead(person, shown);
  await person.ask({ operation: 'auth.me', path: '/api/auth/me' });
  await listSessions(person);
  await countUnread(person);
  // Names and presence of the partners in conversations of two.
  await person.ask({ operation: 'contacts.list', path: '/api/chat/contacts?limit=100' });
  if (shown !== undefined) await getSession(person, shown);
  // Theirs loads the team once more.
  await countUnread(person);
  if (shown === undefined) await showAnother(person);
  else await open(person, shown);
}

export async function listMembers(person: Person, query: string): Promise<MemberRecord[]> {
  const found = await person.ask<{ items: MemberRecord[] }>({ operation: 'members.list', path: `/api/members?${query}` });
  const items = found?.items ?? [];
  for (const { id } of items) person.known.add(id);
  return items;
}

export async function listRoomMembers(person: Person, session_id: string): Promise<void> {
  await person.ask({ operation: 'sessions.members', path: `/api/chat/sessions/${session_id}/members` });
}

export function showTyping(person: Person, session_id: string): void {
  const members = person.sessions.get(session_id)?.member_count ?? 0;
  if (members < max_typing) person.push('typing', { session_id, state: 'start' });
}

/** Writes a message for the shown room. */
export async function write(person: Person, session_id: string, kind: keyof typeof average_words): Promise<string> {
  let start = '';
  if (Math.random() < habits.mentions) {
    // A client finds names in the room's list of members while a name is typed.
    await listRoomMembers(person, session_id);
    start += `@${randomOf(person.world.people)?.username} `;
  }
  if (Math.random() < habits.links) start += `${randomOf(links)} `;
  const linked = Math.random() < habits.permalinks ? person.world.timelines.any(session_id) : undefined;
  if (linked) start += `${person.world.url}/pl/${linked.id} `;
  return start + randomText(average_words[kind]);
}

export async function send(
  person: Person,
  body: { session_id: string; content: string; thread_id?: string; files?: string[] },
): Promise<void> {
  await person.ask({ operation: body.files ? 'chat.send with files' : 'chat.send', method: 'POST', path: '/api/chat/send', body });
}

/** Writes a message for the shown room without sending it. Its files were uploaded, and are removed an hour later. */
export async function draft(person: Person): Promise<void> {
  const { shown, world } = person;
  if (shown === undefined) return;
  showTyping(person, shown);
  await write(person, shown, 'message');
  if (Math.random() < habits.files) await upload(person, world.attachments.some());
}

/** Sends a message to the shown room. */
export async function post(person: Person): Promise<void> {
  const { shown, world } = person;
  if (shown === undefined) return;
  showTyping(person, shown);
  const is_reply = Math.random() < habits.replies;
  const answered = is_reply ? world.timelines.any(shown) : undefined;
  if (is_reply && !answered) return;
  const files = Math.random() < habits.files ? await upload(person, world.attachments.some()) : [];
  const content = await write(person, shown, is_reply ? 'reply' : 'message');
  await send(person, {
    session_id: shown,
    content,
    ...(answered && { thread_id: answered.thread_id ?? answered.id }),
    ...(files.length > 0 && { files }),
  });
}

/** Types a text: `search` is called with each part of it, and sometimes with a wrong letter, until it returns that it was found. */
export async function typeText(person: Person, text: string, search: (typed: string) => Promise<boolean>): Promise<void> {
  const key_ms = 100 + Math.random() * 200;
  for (let length = 1; length <= text.length; length += 1) {
    await person.wait(key_ms);
    if (await search(text.slice(0, length))) return;
    if (length === text.length || Math.random() >= 0.15) continue;
    await person.wait(key_ms);
    if (await search(`${text.slice(0, length)}a`)) return;
  }
}
