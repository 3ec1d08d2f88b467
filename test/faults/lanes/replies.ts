import { contentOf } from '../asker.js';
import { Follower, type StreamEvent } from '../follower.js';
import type { Lane, World } from './lane.js';

interface Message {
  id: string;
  reply_to: string | null;
  content: string;
  status: string;
  error: { code: string } | null;
}

interface Sent {
  message_id: string;
  session_id: string;
}

/** Limit of streams read at once; the next waits for one of them. */
const max_open = 3;
/** A reply that its process left behind ends when its lease has lapsed. */
const end_ms = 60_000;

/** Why a reply may fail meanwhile, if it says so. */
const honest = new Set(['interrupted', 'database_unavailable', 'database_busy']);

/** Replies of an AI employee, read as they are written; whoever is cut off goes on from its cursor. */
export class Replies implements Lane {
  readonly name = 'replies';
  readonly #world: World;
  /** The text of a whole reply. */
  readonly #text: string;
  readonly #open = new Set<Promise<void>>();
  readonly #followers = new Set<Follower>();
  readonly #faults: string[] = [];
  #written = 0;
  #whole = 0;

  constructor(world: World, text: string) {
    this.#world = world;
    this.#text = text;
  }

  get acknowledged(): number {
    return this.#written;
  }

  async write(): Promise<void> {
    while (this.#open.size >= max_open) await Promise.race(this.#open);
    const content = `${this.#world.run} question ${this.#written + 1}`;
    const body = { content, images: [] };
    const answer = await this.#world.asker.ask({ method: 'POST', path: '/api/chat/send', body, idempotency_key: content });
    this.#written += 1;
    const open: Promise<void> = this.#read(contentOf<Sent>(answer), content)
      .catch((fault: Error) => void this.#faults.push(`${content}: ${fault.message}`))
      .finally(() => this.#open.delete(open));
    this.#open.add(open);
  }

  /** Returns the faults of replies that have ended. */
  async faults(): Promise<string[]> {
    return this.#faults.splice(0);
  }

  async settled(): Promise<string[]> {
    await Promise.all(this.#open);
    if (this.#written > 0 && this.#whole === 0) this.#faults.push('not one reply was whole');
    return this.faults();
  }

  close(): void {
    for (const follower of this.#followers) follower.stop();
  }

  async #read(sent: Sent, content: string): Promise<void> {
    const { asker } = this.#world;
    const follower = new Follower(asker, `/api/chat/stream/${sent.message_id}`, this.#written);
    this.#followers.add(follower);
    const timer = setTimeout(() => follower.stop(), end_ms);
    const view = new View();
    await follower.read((event) => view.hear(event));
    clearTimeout(timer);
    this.#followers.delete(follower);
    this.#faults.push(...view.faults.map((fault) => `${content}: ${fault}`));
    const list = contentOf<Message[]>(
      await asker.ask({ method: 'GET', path: `/api/chat/messages?session_id=${sent.session_id}&limit=200` }),
    );
    const replies = list.filter(({ reply_to }) => reply_to === sent.message_id);
    const fault = view.isOver ? this.#faultOf(replies, view.text) : 'its stream never ended';
    if (fault !== undefined) this.#faults.push(`${content}: ${fault}`);
  }

  #faultOf(replies: readonly Message[], read: string): string | undefined {
    const [reply] = replies;
    if (!reply || replies.length > 1) return `it has ${replies.length} replies`;
    const { status, content, error } = reply;
    if (read !== content) return `its reader has ${read.length} characters of the ${content.length} that are stored`;
    if (status === 'completed') this.#whole += 1;
    if (status === 'completed') return content === this.#text ? undefined : 'its reply is completed, but not whole';
    return status === 'failed' && honest.has(error?.code ?? '') ? undefined : `its reply is ${status} (${error?.code})`;
  }
}

/** The state of a reader that applies the events one by one. */
class View {
  readonly faults: string[] = [];
  text = '';
  isOver = false;
  #seq = -1;

  hear({ type, cursor, data }: StreamEvent): 'last' | undefined {
    if (type === 'done') this.isOver = true;
    if (type === 'snapshot') this.text = data.message?.content ?? '';
    if (type === 'message.delta') this.text += data.delta ?? '';
    if (typeof data.seq !== 'number') return undefined;
    // A snapshot from the database, or an end that the journal doesn't have, starts over.
    const isNext = cursor === undefined || type === 'snapshot' || this.#seq < 0 || data.seq === 0 || data.seq === this.#seq + 1;
    if (!isNext) this.faults.push(`after event ${this.#seq} came ${data.seq} (${type})`);
    this.#seq = data.seq;
    return this.isOver ? 'last' : undefined;
  }
}
