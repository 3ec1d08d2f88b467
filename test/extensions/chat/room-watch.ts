import type { Test } from 'tap';
import { until } from '../../helpers/eventually.js';
import type { Exchange } from '../../helpers/model-server.js';
import type { TestPlatform } from '../../helpers/platform.js';
import { connect, type Client as Socket } from '../../kernel/platform/http/socket/client.js';
import { upload } from './files/uploads.js';
import { png } from './pictures.js';
import { employee, roomOf } from './room-members.js';
import { collect, failureOf, type Someone, type World } from './world.js';

/** Ids of a room and of what is in it. */
export interface InRoom {
  session_id: string;
  message_id: string;
  task_id: string;
  image: string;
  file_id: string;
}

/** A room in which an AI employee has been asked, with an image, and the model holds its answer. */
export interface OpenQuestion {
  vic: { id: number; username: string };
  asked: Exchange[];
  inRoom: InRoom;
}

/** Opens a room of these members and asks an AI employee in it about quince jelly. */
export async function askInRoom({ platform, model }: World, owner: Someone, others: readonly Someone[]): Promise<OpenQuestion> {
  const vic = await employee(platform, `Vic ${owner.name}`);
  const { id: session_id } = await roomOf(owner, [...others, vic]);
  const asked: Exchange[] = [];
  model.script((exchange) => void asked.push(exchange));
  const images = [{ url: `data:image/png;base64,${png().toString('base64')}` }];
  const { id: file_id } = await upload(owner.http, 'Quince.txt', 'Jelly');
  const content = `@${vic.username} Quince jelly`;
  const { message_id, task_id } = await owner.http.chat.send({ session_id, content, images, files: [file_id] });
  const [image] = (await owner.http.messages.get({ message_id })).images;
  await until(
    () => asked.length,
    (length) => length === 1,
  );
  const hash = image?.url.split('/').at(-1) as string;
  return { vic, asked, inRoom: { session_id, message_id, task_id: task_id as string, image: hash, file_id } };
}

/** A member's open streams of a room, and its socket. */
export interface Watch {
  socket: Socket;
  /** Cursor of a frame before the first of the room. */
  before: string;
  /** Texts of events and failures; settles when all streams have ended. */
  streams: Promise<string[]>;
}

/** Opens all streams that show something of a room. */
export async function watch(t: Test, { url }: TestPlatform, who: Someone, { session_id, message_id, task_id }: InRoom): Promise<Watch> {
  const socket = await connect(t, url, { token: who.token });
  await socket.next('hello');
  const note = await who.http.sessions.create({ title: '', target_type: '', target_id: '' });
  await who.http.chat.send({ session_id: note.id, content: 'A note' });
  const { cursor } = await socket.next('message.created');
  const { http } = who;
  const streams = [http.sessions.stream({ session_id }), http.messages.stream({ message_id }), http.tasks.stream({ task_id })];
  const read = async (stream: (typeof streams)[number]) => {
    const seen: string[] = [];
    const fault = await collect(
      (async function* () {
        for await (const event of stream) {
          seen.push(JSON.stringify(event));
          yield event;
        }
      })(),
    ).then(
      () => 'ended',
      (error: unknown) => String((error as { code?: string }).code),
    );
    return [...seen, fault].join('\n');
  };
  return { socket, before: cursor as string, streams: Promise.all(streams.map(read)) };
}

/** Returns the failures of all operations that show something of a room to somebody who is not in it; `shown` for those that do show it. */
export async function refusalsOf(
  { http }: Someone,
  { session_id, message_id, task_id, image, file_id }: InRoom,
  word: string,
): Promise<Record<string, string>> {
  const refusal = async (work: Promise<unknown> | AsyncIterable<unknown>) => (await failureOf(work))?.code ?? 'shown';
  const none = async (work: Promise<unknown>) => (JSON.stringify(await work).includes(session_id) ? 'shown' : 'nothing');
  const notListed = async (work: Promise<unknown>) =>
    JSON.stringify(await work)
      .toLowerCase()
      .includes(word)
      ? 'shown'
      : 'nothing';
  return {
    'sessions.get': await refusal(http.sessions.get({ session_id })),
    'sessions.members': await refusal(http.sessions.members({ session_id })),
    'sessions.stream': await refusal(http.sessions.stream({ session_id })),
    'sessions.update': await refusal(http.sessions.update({ session_id, title: 'Mine' })),
    'sessions.notifications': await refusal(http.sessions.notifications({ session_id })),
    'messages.list': await refusal(http.messages.list({ session_id, limit: 50 })),
    thread: await refusal(http.messages.list({ thread_id: message_id, limit: 50 })),
    'messages.get': await refusal(http.messages.get({ message_id })),
    'messages.stream': await refusal(http.messages.stream({ message_id })),
    'messages.edit': await refusal(http.messages.edit({ message_id, content: 'Mine' })),
    'reactions.add': await refusal(http.reactions.add({ message_id, emoji: '👍' })),
    'messages.search in it': await refusal(http.messages.search({ q: word, session_id, limit: 20 })),
    'images.get': await refusal(http.images.get({ hash: image })),
    'images.thumbnail': await refusal(http.images.thumbnail({ hash: image })),
    'files.get': await refusal(http.files.get({ file_id })),
    'files.thumbnail': await refusal(http.files.thumbnail({ file_id })),
    'files.delete': await refusal(http.files.delete({ file_id })),
    'tasks.get': await refusal(http.tasks.get({ task_id })),
    'tasks.stream': await refusal(http.tasks.stream({ task_id })),
    'tasks.cancel': await refusal(http.tasks.cancel({ task_id })),
    'tasks.message': await refusal(http.tasks.message({ task_id, content: 'Go on' })),
    'chat.abort': await refusal(http.chat.abort({ message_id })),
    'chat.send': await refusal(http.chat.send({ session_id, content: 'Hello?' })),
    'unread.mark_read': await refusal(http.unread.mark_read({ session_id })),
    'sessions.list': await none(http.sessions.list({ limit: 50, offset: 0 })),
    'unread.counts': await none(http.unread.counts({})),
    'tasks.active': await none(http.tasks.active({})),
    'approvals.list': await none(http.approvals.list({ limit: 50, offset: 0 })),
    'lookup of session': await notListed(http.chat.lookup({ kind: 'session', part: session_id.slice(0, 13) })),
    'lookup of message': await notListed(http.chat.lookup({ kind: 'message', part: message_id.slice(0, 13) })),
    'messages.search': await none(http.messages.search({ q: word, limit: 20 })),
  };
}
