import { type Answer, contentOf } from '../asker.js';
import { Follower, type StreamEvent } from '../follower.js';
import type { Lane, World } from './lane.js';

interface Message {
  id: string;
  content: string;
  images: { url: string }[];
}

const a_session = 150;
const with_image = 5;
const image_bytes = 60_000;
/** Time within which stored messages reach readers. */
const shown_ms = 20_000;
/** After a gap a reader is shown so many of the latest again, and no more. */
const shown_again = 20;

/** Messages of one person, in order, some with an image; and who reads along. */
export class Messages implements Lane {
  readonly name = 'messages';
  readonly #world: World;
  #session: Session | undefined;
  #sessions = 0;
  #written = 0;

  constructor(world: World) {
    this.#world = world;
  }

  get acknowledged(): number {
    return this.#written;
  }

  async write(): Promise<void> {
    if (!this.#session || this.#session.contents.length === a_session) await this.#open();
    const session = this.#session as Session;
    const n = this.#written + 1;
    const content = `message ${n}`;
    const images = n % with_image === 0 ? [`data:image/png;base64,${imageOf(n).toString('base64')}`] : [];
    const body = { content, images, session_id: session.id };
    const sent = await this.#world.asker.ask({ method: 'POST', path: '/api/chat/send', body, idempotency_key: this.#key(content) });
    session.contents.push(content);
    // Where the acknowledgement of a commit is lost, nobody is told of what it has stored.
    if (sent.tries === 1) session.shown.push(contentOf<{ message_id: string }>(sent).message_id);
    this.#written = n;
  }

  async faults(): Promise<string[]> {
    if (!this.#session) return [];
    return [...(await this.#stored(this.#session)), ...(await this.#session.reading.faults(this.#session.shown))];
  }

  close(): void {
    this.#session?.reading.stop();
  }

  async #open(): Promise<void> {
    this.close();
    this.#session = undefined;
    this.#sessions += 1;
    const title = `session ${this.#sessions}`;
    const body = { title, target_type: '' };
    const { asker } = this.#world;
    const made = await asker.ask({ method: 'POST', path: '/api/chat/sessions', body, idempotency_key: this.#key(title) });
    const { id } = contentOf<{ id: string }>(made);
    const follower = new Follower(asker, `/api/chat/stream?session_id=${id}`);
    const reading = new Reading(follower);
    await follower.opened();
    this.#session = { id, contents: [], shown: [], reading };
  }

  /** All of them, once each, in the order in which they were acknowledged; with their images. */
  async #stored({ id, contents }: Session): Promise<string[]> {
    const { asker } = this.#world;
    const list = contentOf<Message[]>(await asker.ask({ method: 'GET', path: `/api/chat/messages?session_id=${id}&limit=200` }));
    const found = list.map(({ content }) => content);
    const faults = found.join() === contents.join() ? [] : [`session ${id} has ${differing(contents, found)}`];
    const last = list.findLast(({ images }) => images.length > 0);
    const image = last && (await asker.ask({ method: 'GET', path: last.images[0]?.url ?? '' }));
    if (last && !isImage(image as Answer, last)) faults.push(`the image of ${last.content} is another one`);
    return faults;
  }

  #key(name: string): string {
    return `${this.#world.run} ${name}`;
  }
}

interface Session {
  id: string;
  contents: string[];
  /** The ids of those of which its readers are told. */
  shown: string[];
  reading: Reading;
}

/** Messages that a reader of a session has received. */
class Reading {
  readonly #follower: Follower;
  /** Those that came as they happened. */
  readonly #told = new Set<string>();
  /** On which connection each was shown last. */
  readonly #shown_on = new Map<string, number>();
  readonly #faults: string[] = [];

  constructor(follower: Follower) {
    this.#follower = follower;
    void follower.read((event) => this.#hear(event));
  }

  stop(): void {
    this.#follower.stop();
  }

  /** Those that it should have been shown and was not. */
  async faults(ids: readonly string[]): Promise<string[]> {
    const missing = () => ids.slice(-shown_again).filter((id) => !this.#shown_on.has(id));
    for (const end = performance.now() + shown_ms; missing().length > 0 && performance.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 50));
    const faults = this.#faults.splice(0);
    const unseen = missing();
    for (const id of unseen) this.#shown_on.set(id, 0);
    return unseen.length === 0 ? faults : [...faults, `the reader of a session was not shown ${unseen.length} messages`];
  }

  #hear({ type, cursor, connection, data: { message_id } }: StreamEvent): undefined {
    if (type !== 'message.completed' && type !== 'snapshot') return;
    // Snapshots are of what may have been seen before: they have no cursor, so the next connection doesn't know of them.
    const isAgain = this.#told.has(message_id) || this.#shown_on.get(message_id) === connection;
    if (cursor !== undefined && isAgain) this.#faults.push(`the reader of a session was shown message ${message_id} twice`);
    if (cursor !== undefined) this.#told.add(message_id);
    this.#shown_on.set(message_id, connection);
  }
}

/** A PNG as far as anybody looks at it. */
function imageOf(n: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex');
  return Buffer.concat([head, Buffer.alloc(image_bytes, `image ${n} `)]);
}

function isImage({ bytes }: Answer, { content }: Message): boolean {
  return bytes.equals(imageOf(Number(content.split(' ')[1])));
}

function differing(wanted: readonly string[], found: readonly string[]): string {
  const at = wanted.findIndex((content, index) => found[index] !== content);
  if (at === -1) return `${found.length} messages in place of ${wanted.length}`;
  return `'${found[at] ?? 'nothing'}' in place of '${wanted[at]}', and ${found.length} messages in place of ${wanted.length}`;
}
