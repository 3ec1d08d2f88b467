import type { Transport } from '../../kernel/client/transport.js';
import type { OperationData } from '../../kernel/contract/manifest.js';

/** Operations by their ids. */
export class Source {
  readonly operations: Readonly<Record<string, OperationData>>;
  readonly #transport: Transport;

  constructor(operations: Readonly<Record<string, OperationData>>, transport: Transport) {
    this.operations = operations;
    this.#transport = transport;
  }

  async call(id: string, input: object, signal?: AbortSignal): Promise<unknown> {
    const operation = this.operations[id];
    if (operation === undefined) throw new Error(`There is no operation '${id}' any more`);
    return (await this.#transport.call({ id, operation, input, options: { signal } })).body;
  }
}
