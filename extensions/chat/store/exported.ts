import { Op } from '../../../kernel/contract/index.js';
import type { Message } from '../contract.js';
import type { Models } from '../models.js';
import { toMessage } from './message-record.js';

/** Messages of a session between two times. */
export interface ExportedRange {
  session_id: string;
  /** Only later ones. */
  after: string;
  /** Only earlier ones, if given. */
  before?: string | undefined;
}

/** Read at once: few, because each may have a megabyte of text and tool calls. */
const portion = 50;

/** Reads the messages of a session in the order in which they were written. */
export class ExportedMessages {
  readonly #model: Models['messages'];

  constructor({ messages }: Pick<Models, 'messages'>) {
    this.#model = messages;
  }

  /** Returns the first messages of a range; fewer than {@link portion} if there are no more. */
  async first({ session_id, after, before }: ExportedRange): Promise<Message[]> {
    const created_at = { [Op.gt]: after, ...(before === undefined ? {} : { [Op.lt]: before }) };
    const query = { where: { session_id, created_at }, order: ['created_at'], limit: portion, raw: true };
    return (await this.#model.findAll(query)).map(toMessage);
  }
}
