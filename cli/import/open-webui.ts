import { open } from 'node:fs/promises';
import { UsageError } from '../exit.js';
import { importable } from './attachments.js';
import { Faults } from './faults.js';
import { boundedId, idOf } from './ids.js';
import { firstText, isObject, type Json, objectsOf, parseJson, textOf, textsOf } from './json.js';
import type { Opened, Opening } from './opening.js';
import { Times } from './times.js';
import type { Export, ExportedFile, ExportedMessage, ExportedRoom } from './types.js';

/** Limit of the file, which is read whole. */
const max_bytes = 256 * 1024 * 1024;
/** Steps of a model's thinking, which a text has before the answer. */
const reasoning = /<details\b[^>]*\btype="reasoning"[^>]*>[\s\S]*?<\/details>\s*/g;
const data_url = /^data:([\w.+/-]{1,100})?(?:;[\w=.+-]{1,100})*;base64,/;

/** Opens chats of Open WebUI, a JSON file. `owners`: `username`, or `user_id=username` for each user of the export. */
export async function openOpenWebui(path: string, opening: Opening & { owners: readonly string[] }): Promise<Opened> {
  return { found: new OpenWebuiExport(path, opening).of(await readJson(path)), close: async () => undefined };
}

async function readJson(path: string): Promise<Json[]> {
  const faults = new Faults(path);
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > max_bytes) faults.add('the file', `it has ${size} bytes; the limit is ${max_bytes}: export the chats of each user`);
    faults.assertNone();
    const found = parseJson(await file.readFile());
    const list = isObject(found) && (isObject(found.chat) || isObject(found.history)) ? [found] : found;
    if (Array.isArray(list) && list.every(isObject)) return list;
    faults.add('the file', 'it is no list of chats');
  } catch (fault) {
    if (!(fault instanceof Error) || !/^is not valid/.test(fault.message)) throw fault;
    faults.add('the file', `it ${fault.message}`);
  } finally {
    await file.close();
  }
  faults.assertNone();
  return [];
}

/** A chat with its owner. */
interface Chat {
  room: ExportedRoom;
  messages: ExportedMessage[];
}

class OpenWebuiExport {
  readonly #opening: Opening & { owners: readonly string[] };
  readonly #faults: Faults;
  readonly #times: Times;

  constructor(path: string, opening: Opening & { owners: readonly string[] }) {
    this.#opening = opening;
    this.#faults = new Faults(path);
    this.#times = new Times(opening.remarks, opening.now_ms);
  }

  of(list: readonly Json[]): Export {
    const users = [...new Set(list.map(({ user_id }) => textOf(user_id)))];
    const owners = this.#owners(users);
    const chats = list.flatMap((entry, at) => this.#chat(entry, `chat ${at + 1}`, owners.get(textOf(entry.user_id)) as string) ?? []);
    this.#faults.assertNone();
    const messages = chats.flatMap((chat) => chat.messages).sort((one, other) => one.created_ms - other.created_ms);
    const all = async function* () {
      yield* messages;
    };
    const people = [...new Set(owners.values())].map((username) => ({ id: username, username, nickname: username }));
    return { people, needs_members: true, rooms: chats.map(({ room }) => room), count: messages.length, messages: all };
  }

  /** Returns the user names of the owners in lower case, by the users' ids. Fails with a usage error if one is not named. */
  #owners(users: readonly string[]): ReadonlyMap<string, string> {
    const named = new Map<string, string>();
    const { owners } = this.#opening;
    for (const owner of owners) {
      const at = owner.indexOf('=');
      if (at !== -1) named.set(owner.slice(0, at), owner.slice(at + 1).toLowerCase());
      else if (users.length === 1) named.set(users[0] as string, owner.toLowerCase());
    }
    const missing = users.filter((id) => !named.get(id));
    if (missing.length > 0)
      throw new UsageError(
        users.length === 1
          ? 'The export does not name the owner of its chats'
          : `The export has chats of ${users.length} users; these have no owner: ${missing.slice(0, 10).join(', ')}`,
        users.length === 1
          ? 'name a member, as in: --owner ada'
          : 'name a member for each, as in: --owner <user id>=ada --owner <user id>=ben',
      );
    return named;
  }

  #chat(entry: Json, place: string, person: string): Chat | undefined {
    const chat = isObject(entry.chat) ? entry.chat : entry;
    const branch = this.#branch(chat);
    if (!branch) return this.#faults.add(place, 'it has no messages: this is no export of Open WebUI');
    const created = this.#times.optional(entry.created_at ?? chat.timestamp) ?? this.#opening.now_ms;
    const title = firstText(entry.title, chat.title, 'Chat');
    const id = boundedId(firstText(entry.id, chat.id) || idOf('chat', textOf(entry.user_id), title, JSON.stringify(branch[0] ?? null)));
    if (entry.archived === true) this.#opening.remarks.add('archived chats became chats like the others', title);
    const members = [{ person, owner: true }];
    const room: ExportedRoom = { id, kind: 'ai', title, topic: '', visibility: 'private', created_ms: created, members };
    let before_ms = created;
    const seen = new Set<string>();
    const messages = branch.flatMap((message, at) => {
      before_ms = Math.max(before_ms, this.#times.of(message.timestamp, before_ms));
      const own = firstText(message.id) || String(at);
      const unique = seen.has(own) ? `${own}/${at}` : own;
      seen.add(unique);
      return this.#message(message, { room: id, id: idOf('message', id, unique), created_ms: before_ms, person }) ?? [];
    });
    return { room, messages: answering(messages) };
  }

  /** Returns the messages of the current branch, oldest first; undefined if there are none in any form. */
  #branch(chat: Json): Json[] | undefined {
    const history = isObject(chat.history) ? chat.history : {};
    if (!isObject(history.messages)) return Array.isArray(chat.messages) ? objectsOf(chat.messages) : undefined;
    const all = new Map(Object.entries(history.messages).filter((entry): entry is [string, Json] => isObject(entry[1])));
    if (all.size === 0) return objectsOf(chat.messages);
    const branch: Json[] = [];
    const seen = new Set<string>();
    let id = all.has(textOf(history.currentId)) ? textOf(history.currentId) : latestOf(all);
    while (id !== '' && !seen.has(id)) {
      seen.add(id);
      const message = all.get(id);
      if (!message) break;
      branch.push({ id, ...message });
      id = textOf(message.parentId);
    }
    if (seen.has(id) && id !== '') this.#opening.remarks.add('chats had messages that answer themselves in a circle, which was cut');
    for (let left = all.size - branch.length; left > 0; left -= 1)
      this.#opening.remarks.add('messages of other branches than the current one were left out');
    return branch.reverse();
  }

  #message(
    message: Json,
    { person, ...place }: Pick<ExportedMessage, 'room' | 'id' | 'created_ms' | 'person'>,
  ): ExportedMessage | undefined {
    const { remarks } = this.#opening;
    const role = message.role === 'assistant' ? 'assistant' : message.role === 'user' ? 'user' : undefined;
    if (!role) return remarks.add('messages that are neither of the user nor of a model were left out', textOf(message.role));
    const files = this.#files(message);
    const text = contentOf(message.content).replace(reasoning, '').trim();
    if (text === '' && files.length === 0) return remarks.add('empty messages were left out');
    const model = firstText(message.modelName, message.model, ...textsOf(message.models), 'AI');
    const sender = role === 'user' ? { person } : { person: undefined, name: model };
    const reply_to = role === 'assistant' ? 'before' : undefined;
    return { ...place, role, ...sender, text, edited_ms: undefined, reply_to, reactions: [], files };
  }

  /** Returns the images that the export contains. Others are remarked. */
  #files(message: Json): ExportedFile[] {
    const given = [...objectsOf(message.files), ...imagesOf(message.content)];
    return given.flatMap((file) => {
      const url = typeof file.url === 'string' ? file.url : '';
      const found = data_url.exec(url);
      const name = firstText(file.name, isObject(file.file) ? file.file.filename : undefined, 'image');
      if (found) return [imageOf(url, found, name)];
      this.#opening.remarks.add('files are not in an export of Open WebUI, except images as data URLs', name);
      return [];
    });
  }
}

/** Lets each answer refer to the message before it. */
function answering(messages: readonly ExportedMessage[]): ExportedMessage[] {
  return messages.map((message, at) => ({ ...message, reply_to: message.reply_to === undefined ? undefined : messages[at - 1]?.id }));
}

/** Returns the id of the message with the latest time that has no answer. */
function latestOf(all: ReadonlyMap<string, Json>): string {
  const parents = new Set([...all.values()].map(({ parentId }) => textOf(parentId)));
  const leaves = [...all].filter(([id]) => !parents.has(id));
  const timeOf = ([, { timestamp }]: [string, Json]) => (typeof timestamp === 'number' ? timestamp : 0);
  return leaves.toSorted((one, other) => timeOf(other) - timeOf(one))[0]?.[0] ?? '';
}

/** Returns the text of a message, which is a text or a list of parts. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return textOf(content);
  const parts = objectsOf(content).map(({ text }) => textOf(text));
  return parts.filter((part) => part !== '').join('\n');
}

function imagesOf(content: unknown): Json[] {
  return objectsOf(content).flatMap(({ image_url }) => (isObject(image_url) ? [image_url] : []));
}

function imageOf(url: string, found: RegExpExecArray, name: string): ExportedFile {
  const bytes = () => Buffer.from(url.slice(found[0].length), 'base64');
  const ending = found[1]?.split('/').at(-1)?.replace(/\W.*$/, '') ?? 'bin';
  return {
    name: name.includes('.') ? name : `${name}.${ending}`,
    size: async () => importable(bytes().length),
    bytes: async () => bytes(),
  };
}
