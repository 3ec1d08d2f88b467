import type { JsonSchema } from '../kernel/contract/schema.js';
import { builtinCatalog } from './catalog.js';
import type { Leaf } from './flags.js';
import type { Session } from './session.js';

type Input = Readonly<Record<string, unknown>>;
type CallOperation = (operation: string, input: object) => Promise<unknown>;

/** Returns a function that calls a built-in operation by its id. */
export function operationCaller({ transport }: Session, signal: AbortSignal): CallOperation {
  let operations: ReturnType<typeof builtinCatalog>['operations'] | undefined;
  return async (id, input) => {
    operations ??= builtinCatalog().operations;
    const operation = operations[id];
    if (operation === undefined) throw new Error(`There is no operation '${id}'`);
    return (await transport.call({ id, operation, input, options: { signal } })).body;
  };
}

/** Resolves the names and short ids of a command line in an installation. */
export class References {
  readonly #leaf: Leaf;
  readonly #ask: CallOperation;

  constructor(leaf: Leaf, session: Session, signal: AbortSignal) {
    this.#leaf = leaf;
    this.#ask = operationCaller(session, signal);
  }

  /** Replaces names in the input by ids. Makes no request if there are only ids. */
  async resolve(input: Input): Promise<Record<string, unknown>> {
    const resolved: Record<string, unknown> = { ...input };
    for (const [key, kind] of Object.entries(this.#leaf.hint?.refers ?? {})) {
      const value = isCaller(this.#leaf, key) ? await this.#callerId() : input[key];
      const one = async (text: unknown) => {
        if (typeof text !== 'string' || text === '' || isListed(this.#leaf, key, text)) return text;
        const { idOf } = await import('../kernel/client/references.js');
        const id = await idOf(kind, text, this.#ask);
        return isText(this.#leaf, key) ? String(id) : id;
      };
      if (Array.isArray(value)) resolved[key] = await Promise.all(value.map(one));
      else if (value !== undefined) resolved[key] = await one(value);
    }
    return resolved;
  }

  async #callerId(): Promise<number> {
    const { id } = (await this.#ask('auth.me', {})) as { id: number };
    return id;
  }

  /** Replaces each `{key}` in the question by a description of its target. Fails if the target does not exist. */
  async question(text: string, input: Input): Promise<string> {
    const described = new Map<string, string>();
    for (const [, key = ''] of text.matchAll(placeholder)) {
      const kind = this.#leaf.hint?.refers?.[key];
      const value = input[key];
      if (kind === undefined || value === undefined || value === null) continue;
      const { describeId } = await import('../kernel/client/references.js');
      described.set(key, await describeId(kind, value as number | string, this.#ask));
    }
    return text.replace(placeholder, (_found, key: string) => described.get(key) ?? String(input[key] ?? key));
  }
}

const placeholder = /\{(\w+)\}/g;

/** Returns whether the command presets the caller for a key. Only a preset counts: a member may be named `me`. */
function isCaller({ hint }: Leaf, key: string): boolean {
  return hint?.preset?.[key] === 'me' && hint.refers?.[key] === 'member';
}

/** Returns whether a text is a literal of the schema: `all`, `admins`. */
function isListed({ operation }: Leaf, key: string, text: string): boolean {
  const { enum: values = [], anyOf = [] } = (operation.input as JsonSchema).properties?.[key] ?? {};
  return [...values, ...anyOf.flatMap((member) => member.enum ?? [])].includes(text);
}

function isText({ operation }: Leaf, key: string): boolean {
  const { type, anyOf } = (operation.input as JsonSchema).properties?.[key] ?? {};
  return anyOf === undefined && [type].flat().includes('string');
}
