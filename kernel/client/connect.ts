import type { OperationData } from '../contract/manifest.js';
import type { StreamEvent } from '../contract/operation.js';
import type { CallOptions, Transport } from './transport.js';

type Head<Id> = Id extends `${infer First}.${string}` ? First : Id;
type Below<Api, First extends string> = { [Id in keyof Api as Id extends `${First}.${infer Rest}` ? Rest : never]: Api[Id] };

/** The function of one operation. Input is optional if none of its fields is required. */
export type Method<Operation> = Operation extends { input: infer Input; answer: infer Answer }
  ? (
      ...args: object extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions]
    ) => Answer extends AsyncIterable<StreamEvent> ? AsyncIterable<StreamEvent> : Promise<Answer>
  : unknown;

/** Maps `{'members.create': …}` to `client.members.create(input)`. */
export type Client<Api extends object> = {
  readonly [First in Head<keyof Api & string>]: (First extends keyof Api ? Method<Api[First]> : unknown) & Client<Below<Api, First>>;
};

type Node = Record<string, unknown>;

/** Creates a typed client for all operations over any transport. */
export function connect<Api extends object>(operations: Readonly<Record<string, OperationData>>, transport: Transport): Client<Api> {
  const root: Node = Object.create(null);
  // Shorter ids come first: `a.b` is a function, and `a.b.c` becomes a property of it.
  for (const id of Object.keys(operations).sort()) {
    const names = id.split('.');
    const last = names.pop() as string;
    const parent = names.reduce((node, name) => descend(node, name), root);
    parent[last] = method(id, operations[id] as OperationData, transport);
  }
  return root as Client<Api>;
}

function descend(node: Node, name: string): Node {
  node[name] ??= Object.create(null);
  return node[name] as Node;
}

function method(id: string, operation: OperationData, transport: Transport) {
  if (operation.kind === 'stream') {
    return (input: object = {}, options: CallOptions = {}) => transport.stream({ id, operation, input, options });
  }
  return async (input: object = {}, options: CallOptions = {}) => (await transport.call({ id, operation, input, options })).body;
}
