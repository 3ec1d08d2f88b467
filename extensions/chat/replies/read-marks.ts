import { Together } from '../../../kernel/contract/index.js';
import type { Ports } from '../ports.js';
import type { Reader } from './readers.js';

/** A message that a member was just given. */
export interface ReadMark extends Reader {
  message_id: string;
}

type MarksPorts = Pick<Ports, 'sessions' | 'frames' | 'log' | 'readBy'>;

/** Stored by one statement. */
const max = 100;

/** Marks sessions as read up to what their readers were given; what came later stays unread. */
export class ReadMarks {
  readonly #ports: MarksPorts;
  /** Hundreds may come to the end of a reply at one moment. */
  readonly #together: Together<ReadMark, number | undefined>;

  constructor(ports: MarksPorts) {
    this.#ports = ports;
    this.#together = new Together((take) => ports.sessions.readUpTo(take()), { max });
  }

  /** Never fails. */
  async mark(mark: ReadMark): Promise<void> {
    const { frames, log, readBy } = this.#ports;
    const { session_id, member_id } = mark;
    try {
      const unread_count = await this.#together.do(mark);
      if (unread_count === undefined) return;
      frames.unread(session_id, [{ member_id, unread_count }]);
      if (unread_count === 0) await readBy({ session_id, member_id });
    } catch (err) {
      log.warn('A session could not be marked as read up to what its reader was given', { session_id, err });
    }
  }
}
