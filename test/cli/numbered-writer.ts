import { createHash, randomBytes } from 'node:crypto';
import { png } from '../extensions/chat/pictures.js';
import { until } from '../helpers/eventually.js';
import { adminPassword } from '../helpers/platform.js';

/** A message as a session shows it. */
interface Message {
  content: string;
  images: { url: string }[];
}

/** Data of one writer in an installation: the numbers of its messages in the session's order, and its images' hashes. */
export interface Held {
  numbers: number[];
  images: string[];
}

/** Logs in to a server; gives what asks it. */
export async function asker(url: string, username = 'admin', password = adminPassword) {
  const ask = async (path: string, { body, token = '' }: { body?: object; token?: string } = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const { access_token: token } = (await (await ask('/api/auth/login', { body: { username, password } })).json()) as {
    access_token: string;
  };
  return {
    post: async <T>(path: string, body: object) => (await (await ask(path, { body, token })).json()) as T,
    get: async <T>(path: string) => (await (await ask(path, { token })).json()) as T,
    bytes: async (path: string) => Buffer.from(await (await ask(path, { token })).arrayBuffer()),
  };
}

export type Asker = Awaited<ReturnType<typeof asker>>;

const picture_every = 10;

/** Writes numbered messages into a session, one after the other, each tenth with a picture; knows what was acknowledged. */
export class NumberedWriter {
  acknowledged = 0;
  /** Hashes of acknowledged images, by the number of their message. */
  readonly pictures = new Map<number, string>();
  readonly session_id: string;
  readonly #asker: Asker;
  #stopped = false;
  readonly #ended: Promise<void>;

  private constructor(by: Asker, session_id: string) {
    this.#asker = by;
    this.session_id = session_id;
    this.#ended = this.#run();
    this.#ended.catch(() => undefined);
  }

  static async start(by: Asker): Promise<NumberedWriter> {
    const { id } = await by.post<{ id: string }>('/api/chat/sessions', { title: 'numbers', target_type: '' });
    return new NumberedWriter(by, id);
  }

  /** Waits until so many writes were acknowledged. Fails as one did that was not. */
  async reach(count: number): Promise<void> {
    const reached = until(() => this.acknowledged >= count, Boolean, 60_000);
    await Promise.race([reached, this.#ended]);
  }

  /** Fails as the first write did that was not acknowledged. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const number = this.acknowledged + 1;
      const picture = number % picture_every === 0 ? pictureOf() : undefined;
      const images = picture ? [`data:image/png;base64,${picture.toString('base64')}`] : [];
      await this.#asker.post('/api/chat/send', { session_id: this.session_id, content: String(number), images });
      this.acknowledged = number;
      if (picture) this.pictures.set(number, hashOf(picture));
    }
  }
}

/** Reads a session whole, from the latest page to the first, and every picture in it. */
export async function heldIn(by: Asker, session_id: string): Promise<Held> {
  const pages: Message[][] = [];
  for (let before = ''; ; ) {
    const query = new URLSearchParams({ session_id, limit: '200', ...(before ? { before } : {}) });
    const page = await by.get<(Message & { id: string })[]>(`/api/chat/messages?${query.toString()}`);
    pages.unshift(page);
    if (page.length < 200) break;
    before = page[0]?.id ?? '';
  }
  const messages = pages.flat();
  const images: string[] = [];
  for (const { url } of messages.flatMap((message) => message.images)) images.push(hashOf(await by.bytes(url)));
  return { numbers: messages.map(({ content }) => Number(content)), images };
}

/** No two are the same; its first part alone is looked at. */
function pictureOf(): Buffer {
  return Buffer.concat([png(), randomBytes(20_000)]);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
