import type { StreamEvent } from '../../kernel/contract/operation.js';
import { builtinCatalog, type Catalog } from '../catalog.js';
import type { Session } from '../session.js';

/** Calls the operations that a conversation needs, by id. */
export class Api {
  readonly #session: Session;
  readonly #catalog: Catalog = builtinCatalog();

  constructor(session: Session) {
    this.#session = session;
  }

  async call<Answer>(id: string, input: object, signal?: AbortSignal): Promise<Answer> {
    const { body } = await this.#session.transport.call({ id, operation: this.#operation(id), input, options: { signal } });
    return body as Answer;
  }

  stream(id: string, input: object, signal: AbortSignal): AsyncIterable<StreamEvent> {
    return this.#session.transport.stream({ id, operation: this.#operation(id), input, options: { signal } });
  }

  /** Returns how a stream's events are written as text. */
  textOf(id: string) {
    const text = this.#catalog.commands.find(({ operation }) => operation === id)?.text;
    if (text === undefined) throw new Error(`'${id}' has no text`);
    return text;
  }

  #operation(id: string) {
    const operation = this.#catalog.operations[id];
    if (operation === undefined) throw new Error(`There is no operation '${id}'`);
    return operation;
  }
}
