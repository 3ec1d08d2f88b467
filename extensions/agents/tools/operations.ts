import {
  type Caller,
  type CatalogEntry,
  hasScope,
  type InvokeOptions,
  isFailure,
  isStandardPattern,
  type JsonSchema,
  mayAdminister,
  type Outcome,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolProvider,
  type ToolResult,
  type ToolUse,
} from '../../../kernel/contract/index.js';
import { sentenceOf } from './output.js';

export interface OperationsOptions {
  operations: () => readonly CatalogEntry[];
  invoke: (operation: string, input: object, caller: Caller, options: InvokeOptions) => Promise<Outcome>;
}

/** The operations that are marked as tools, called as the member for whom the AI employee works. */
export class OperationTools implements ToolProvider {
  readonly name = "the platform's operations";
  readonly #options: OperationsOptions;
  /** Each run asks for all of them. */
  readonly #schemas = new WeakMap<object, object>();

  constructor(options: OperationsOptions) {
    this.#options = options;
  }

  tools({ asker }: Pick<ToolContext, 'asker'>): Tool[] {
    return this.#options
      .operations()
      .filter((entry) => isToolFor(entry, asker))
      .map((entry) => this.#tool(entry));
  }

  brings(name: string): boolean {
    return this.#options.operations().some(({ id, tool, kind }) => tool && kind === 'call' && (name === id || name === toolName(id)));
  }

  #tool(entry: CatalogEntry): Tool {
    return {
      name: toolName(entry.id),
      title: entry.id,
      description: entry.summary,
      input: this.#schemaOf(entry.input),
      effect: effectOf(entry),
      foreign: !entry.builtin,
      call: (input, use) => this.#call(entry.id, input, use),
    };
  }

  #schemaOf(input: object): object {
    const schema = this.#schemas.get(input) ?? closed(input as JsonSchema);
    this.#schemas.set(input, schema);
    return schema;
  }

  /** Who may, and whether the operation is still there, is decided at each call. */
  async #call(id: string, input: object, { asker, signal }: ToolUse): Promise<ToolResult> {
    try {
      const { body } = await this.#options.invoke(id, input, asker, { signal });
      return { output: body === undefined ? 'Done.' : JSON.stringify(body) };
    } catch (fault) {
      if (!isFailure(fault)) throw fault;
      return { output: '', error: `${sentenceOf(fault)} (${fault.code})` };
    }
  }
}

/** Whether it is a tool that the caller may use, by its role and the scopes of its token. */
export function isToolFor({ tool, kind, who, scope }: CatalogEntry, caller: Caller): boolean {
  if (!tool || kind !== 'call' || (who === 'admin' && !mayAdminister(caller))) return false;
  return who === 'public' || hasScope(caller.scopes, scope);
}

/** An operation's id as models take it. */
export function toolName(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}

/** That a `GET` changes nothing is believed of the platform's own operations alone. */
export function effectOf({ dangerous, method, builtin }: CatalogEntry): ToolEffect {
  if (dangerous) return 'dangerous';
  return method === 'GET' && builtin ? 'read' : 'write';
}

/** A tool's schema for an operation's input: keys that it doesn't name are refused. */
export function closed(input: JsonSchema): object {
  const schema = plain(input);
  return schema.additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema;
}

/** The schema without the platform's own keywords, which some models' servers refuse, and patterns that need them. */
export function plain(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties, anyOf, ...rest } = schema;
  const drop = isStandardPattern(schema) ? '' : 'pattern';
  const kept = Object.entries(rest).filter(([key]) => !key.startsWith('x-') && key !== drop);
  return {
    ...Object.fromEntries(kept),
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, plain(inner)])) } : {}),
    ...(items ? { items: plain(items) } : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties: additionalProperties === true || plain(additionalProperties) }),
    ...(anyOf ? { anyOf: anyOf.map(plain) } : {}),
  };
}
