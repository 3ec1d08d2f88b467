import { Together } from '../../../kernel/contract/index.js';
import type { Ports } from '../ports.js';
import type { Reader } from './readers.js';

/** A message that was just sent to a reader. */
export interface ReadMark extends Reader {
  message_id: string;
}

type MarksPorts = Pick<Ports, 'positions' | 'frames' | 'log' | 'readBy' | 'track'>;

/** Read marks per statement. */
const max_marks = 100;

/** Marks sessions as read up to the last message sent to a reader; later ones stay unread. */
export class ReadMarks {
  readonly #ports: MarksPorts;
  /** Batches marks, because hundreds of readers may reach the end of a reply at once. */
  readonly #together: Together<ReadMark, number | undefined>;

  constructor(ports: MarksPorts) {
    this.#ports = ports;
    this.#together = new Together((take) => ports.positions.readUpTo(take()), { max: max_marks });
  }

  /** Stores a read mark. Never fails. The extension doesn't stop before. */
  mark(mark: ReadMark): Promise<void> {
    const marked = this.#mark(mark);
    this.#ports.track(marked);
    return marked;
  }

  async #mark(mark: ReadMark): Promise<void> {
    const { frames, log, readBy } = this.#ports;
    const { session_id, member_id } = mark;
    try {
      const unread_count = await this.#together.do(mark);
      if (unread_count === undefined) return;
      frames.unread(session_id, [{ member_id, unread_count }]);
      if (unread_count === 0) await readBy({ session_id, member_id });
    } catch (err) {
      log.warn('Could not store the read mark of a session', { session_id, err });
    }
  }
}
