import type { Transport } from '../../kernel/client/transport.js';
import type { OperationData } from '../../kernel/contract/manifest.js';

/** Calls operations by id. */
export class Source {
  readonly operations: Readonly<Record<string, OperationData>>;
  readonly #transport: Transport;

  constructor(operations: Readonly<Record<string, OperationData>>, transport: Transport) {
    this.operations = operations;
    this.#transport = transport;
  }

  async call(id: string, input: object, signal?: AbortSignal): Promise<unknown> {
    const operation = this.operations[id];
    if (operation === undefined) throw new Error(`The operation '${id}' no longer exists`);
    return (await this.#transport.call({ id, operation, input, options: { signal } })).body;
  }
}
