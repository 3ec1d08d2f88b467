import { type FileAnswer, Limiter } from '../../../kernel/contract/index.js';
import { parseTime } from '../before.js';
import { fail } from '../codes.js';
import type { ExportInput, Message, Session } from '../contract.js';
import { safeName } from '../files/name.js';
import type { Ports } from '../ports.js';
import { notThere } from '../replies/readers.js';
import type { ExportedMessages } from '../store/exported.js';
import { jsonEnd, jsonHead, jsonMessage } from './json.js';
import { markdownHead, markdownMessage } from './markdown.js';

interface ExportParts {
  ports: Pick<Ports, 'sessions' | 'reactions' | 'clock'>;
  rows: ExportedMessages;
}

/** Limit of a file: it is in memory until the client has it. */
const max_bytes = 32 * 1024 * 1024;
/** Files made at once. */
const max_at_once = 2;

/** Exports a session as a file, for a member who can read it. */
export class SessionExport {
  readonly #parts: ExportParts;
  readonly #limiter = new Limiter(max_at_once);

  constructor(parts: ExportParts) {
    this.#parts = parts;
  }

  /** Returns the file. Fails with `session_not_found`, also if the member leaves meanwhile, and with `export_too_large`. */
  async file(input: ExportInput, { member_id, signal }: { member_id: number; signal: AbortSignal }): Promise<FileAnswer> {
    const session = await this.#session(input.session_id, member_id);
    return this.#limiter.run(() => this.#file(input, session, { member_id, signal }), { signal });
  }

  async #file(input: ExportInput, session: Session, { member_id, signal }: { member_id: number; signal: AbortSignal }) {
    const isJson = input.format === 'json';
    const exported_at = this.#parts.ports.clock.iso();
    const document = new BoundedText(session.id);
    document.add(isJson ? jsonHead(session, exported_at) : markdownHead(session, exported_at));
    let isFirst = true;
    for await (const message of this.#messages(input, member_id)) {
      signal.throwIfAborted();
      document.add(isJson ? jsonMessage(message, isFirst) : markdownMessage(message));
      isFirst = false;
    }
    if (isJson) document.add(jsonEnd);
    // A member who has left meanwhile must not get what was read before.
    await this.#session(session.id, member_id);
    const save_as = nameOf(session, `${exported_at.slice(0, 10)}.${isJson ? 'json' : 'md'}`);
    return { mime_type: isJson ? 'application/json' : 'text/markdown; charset=utf-8', bytes: document.bytes(), save_as };
  }

  async *#messages({ session_id, since, before }: ExportInput, member_id: number): AsyncGenerator<Message> {
    const { rows, ports } = this.#parts;
    // Strictly after the millisecond before, so that `since` itself is included.
    let after = since === undefined ? '' : new Date(Date.parse(parseTime('since', since)) - 1).toISOString();
    const until = before === undefined ? undefined : parseTime('before', before);
    for (;;) {
      const messages = await rows.first({ session_id, after, before: until });
      const last = messages.at(-1);
      if (!last) return;
      yield* await ports.reactions.markMine(messages, member_id);
      after = last.created_at;
    }
  }

  async #session(id: string, member_id: number): Promise<Session> {
    const session = await this.#parts.ports.sessions.get(id, member_id);
    if (!session) throw notThere(id);
    return session;
  }
}

function nameOf({ title }: Session, ending: string): string {
  return safeName(`${title.replace(/[/\\]/g, '_') || 'conversation'}-${ending}`);
}

/** Collects a text of at most {@link max_bytes}. */
class BoundedText {
  readonly #session_id: string;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(session_id: string) {
    this.#session_id = session_id;
  }

  add(text: string): void {
    const piece = Buffer.from(text);
    this.#size += piece.length;
    if (this.#size > max_bytes)
      throw fail(
        'export_too_large',
        `The messages of session ${this.#session_id} have more than ${max_bytes / 1024 ** 2} MiB together; export them in parts, with 'since' and 'before'`,
      );
    this.#pieces.push(piece);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
