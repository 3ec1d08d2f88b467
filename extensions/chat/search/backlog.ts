import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, Op } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';
import type { Indexed, SearchIndex } from '../store/search-sql.js';
import type { Sessions } from '../store/sessions-sql.js';
import type { MessageTexts } from './message-texts.js';

interface BacklogParts {
  db: Database;
  models: Pick<Models, 'backlog' | 'messages' | 'sessions'>;
  sessions: Pick<Sessions, 'participantsOf'>;
  texts: MessageTexts;
  index: SearchIndex;
  signal: AbortSignal;
}

/** Messages indexed per transaction. */
const batch = 50;

/** Indexes messages older than the index, newest first, in small batches. */
export class Backlog {
  readonly #parts: BacklogParts;
  #done = false;

  constructor(parts: BacklogParts) {
    this.#parts = parts;
  }

  /** Runs until all messages are indexed or the extension stops. Pauses half of the time. */
  async work(): Promise<void> {
    const { db, models, signal } = this.#parts;
    while (!this.#done && !signal.aborted) {
      const begun = performance.now();
      this.#done = (await models.backlog.count()) === 0 || (await db.transaction(() => this.#step()));
      await sleep(performance.now() - begun, undefined, { ref: false });
    }
  }

  /** Indexes one batch. The lock makes instances take turns. Returns true if nothing is left. */
  async #step(): Promise<boolean> {
    const { backlog, messages } = this.#parts.models;
    const next = await backlog.findOne({ lock: true, raw: true });
    if (!next) return true;
    const rows = await messages.findAll({
      attributes: ['no', 'session_id', 'content', 'files', 'status'],
      where: { no: { [Op.lte]: next.next_no } },
      order: [['no', 'DESC']],
      limit: batch,
      raw: true,
    });
    const contents = await this.#parts.texts.of(rows);
    const texts = rows.map(({ no, session_id, status }, at) => ({ no, session_id, status, content: contents[at] as string }));
    // A reply in progress is indexed at its end.
    await this.#index(texts.filter(({ content, status }) => content !== '' && status !== 'streaming'));
    const last = rows.at(-1);
    if (last) await backlog.update({ next_no: last.no - 1 }, { where: {} });
    else await backlog.destroy({ where: {} });
    return !last;
  }

  async #index(messages: readonly Omit<Indexed, 'readers'>[]): Promise<void> {
    const { sessions, models, index } = this.#parts;
    const ids = [...new Set(messages.map(({ session_id }) => session_id))];
    const rooms = await models.sessions.findAll({ attributes: ['id', 'room_no'], where: { id: ids, target_type: 'room' }, raw: true });
    const numbers = new Map(rooms.map(({ id, room_no }) => [id, Number(room_no)]));
    const participants = await sessions.participantsOf(ids.filter((id) => !numbers.has(id)));
    const readersOf = (id: string): Indexed['readers'] => {
      const room_no = numbers.get(id);
      const members = participants.filter(({ session_id }) => session_id === id).map(({ member_id }) => member_id);
      return { ids: members, ...(room_no === undefined ? {} : { room_no }) };
    };
    await index.addAll(messages.map((message) => ({ ...message, readers: readersOf(message.session_id) })));
  }
}
