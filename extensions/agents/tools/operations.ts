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
import { publicMessage } from './output.js';

export interface OperationsOptions {
  operations: () => readonly CatalogEntry[];
  invoke: (operation: string, input: object, caller: Caller, options: InvokeOptions) => Promise<Outcome>;
}

/** Offers the operations marked as tools, called as the member the AI employee works for. */
export class OperationTools implements ToolProvider {
  readonly name = "the platform's operations";
  readonly #options: OperationsOptions;
  /** Cached, because each run asks for all of them. */
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
      audience: entry.audience,
      foreign: !entry.builtin,
      ...(entry.builtin && 'session_id' in ((entry.input as JsonSchema).properties ?? {}) ? { session_key: 'session_id' } : {}),
      call: (input, use) => this.#call(entry.id, input, use),
    };
  }

  #schemaOf(input: object): object {
    const schema = this.#schemas.get(input) ?? closedSchema(input as JsonSchema);
    this.#schemas.set(input, schema);
    return schema;
  }

  /** Calls the operation. Permissions, and whether it still exists, are checked at each call. */
  async #call(id: string, input: object, { asker, signal }: ToolUse): Promise<ToolResult> {
    try {
      const { body } = await this.#options.invoke(id, input, asker, { signal });
      return { output: body === undefined ? 'Done.' : JSON.stringify(body) };
    } catch (fault) {
      if (!isFailure(fault)) throw fault;
      return { output: '', error: `${publicMessage(fault)} (${fault.code})` };
    }
  }
}

/** Returns whether an AI employee may use the operation as a tool for this member. */
function isToolFor(entry: CatalogEntry, asker: Caller): boolean {
  return entry.tool && mayCall(entry, asker);
}

/** Returns whether a member's own MCP client may use the operation as a tool. */
export function isClientToolFor(entry: CatalogEntry, caller: Caller): boolean {
  return (entry.tool || entry.mcp) && mayCall(entry, caller);
}

/** Returns whether it is a call that the caller may make, by role and token scopes. */
function mayCall({ kind, who, scope }: CatalogEntry, caller: Caller): boolean {
  if (kind !== 'call' || (who === 'admin' && !mayAdminister(caller))) return false;
  return who === 'public' || hasScope(caller.scopes, scope);
}

/** Converts an operation's id to a name that models accept. */
export function toolName(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}

/** Returns the effect. Only the platform's own operations are trusted to change nothing on `GET`. */
export function effectOf({ dangerous, method, builtin }: CatalogEntry): ToolEffect {
  if (dangerous) return 'dangerous';
  return method === 'GET' && builtin ? 'read' : 'write';
}

/** Returns a tool's schema for an operation's input: unknown keys are rejected. */
export function closedSchema(input: JsonSchema): object {
  const schema = standardSchema(input);
  return schema.additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema;
}

/** Removes the platform's own keywords, which some model servers reject, and patterns that depend on them. */
export function standardSchema(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties, anyOf, ...rest } = schema;
  const drop = isStandardPattern(schema) ? '' : 'pattern';
  const standardKeys = Object.entries(rest).filter(([key]) => !key.startsWith('x-') && key !== drop);
  return {
    ...Object.fromEntries(standardKeys),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, standardSchema(inner)])) }
      : {}),
    ...(items ? { items: standardSchema(items) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: additionalProperties === true || standardSchema(additionalProperties) }),
    ...(anyOf ? { anyOf: anyOf.map(standardSchema) } : {}),
  };
}
