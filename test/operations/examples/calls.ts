import type { OpenApi, OperationObject, ParameterObject, SchemaObject } from '../../../kernel/platform/http/docs/openapi.js';

/** An operation of the document, with references resolved. */
export interface Documented {
  id: string;
  method: string;
  path: string;
  parameters: readonly ParameterObject[];
  body: { type: string; example: unknown; schema: SchemaObject } | undefined;
  /** The answer with the example, or the first success. */
  answer: { status: number; type: string | undefined; example: unknown; schema: SchemaObject | undefined };
}

export function documentedOperations({ paths, components }: OpenApi): Documented[] {
  const resolve = (schema: SchemaObject = {}): SchemaObject => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    return name === undefined ? schema : (components.schemas[name] as SchemaObject);
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId ?? '',
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      body: bodyOf(operation, resolve),
      answer: answerOf(operation, resolve),
    })),
  );
}

type Resolve = (schema: SchemaObject | undefined) => SchemaObject;

function bodyOf({ requestBody }: OperationObject, resolve: Resolve): Documented['body'] {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return type === undefined ? undefined : { type, example: content?.example, schema: resolve(content?.schema) };
}

function answerOf({ responses }: OperationObject, resolve: Resolve): Documented['answer'] {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const [status, { content = {} }] = successes.find(([, response]) => response.content?.['application/json']?.example !== undefined) ??
    successes[0] ?? ['0', { content: {} }];
  const [type, found] = Object.entries(content)[0] ?? [];
  return { status: Number(status), type, example: found?.example, schema: found && resolve(found.schema) };
}

/** Sends the example of an operation as it is; a form also has the file. */
export function send(
  url: string,
  { method, path, parameters, body }: Documented,
  { token, file }: { token: string; file: Buffer },
): Promise<Response> {
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(String(example)));
    else if (place === 'query') query.append(name, String(example));
  }
  const isJson = body?.type === 'application/json';
  const headers = {
    authorization: `Bearer ${token}`,
    ...(isJson ? { 'content-type': 'application/json', prefer: 'handling=strict' } : {}),
  };
  const content = isJson ? JSON.stringify(body.example) : body && formOf(body.schema, file);
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return fetch(`${url}${target}${search}`, { method, headers, ...(content === undefined ? {} : { body: content }) });
}

function formOf({ properties = {} }: SchemaObject, file: Buffer): FormData {
  const form = new FormData();
  for (const [name, { example, format }] of Object.entries(properties as Record<string, SchemaObject>)) {
    if (format === 'binary') form.append(name, new Blob([new Uint8Array(file)]), 'file');
    else if (example !== undefined) form.append(name, String(example));
  }
  return form;
}

/**
 * Returns where an answer differs in shape from its example: another type, or a field that only one of them has. Lists are compared by
 * their first items, which both must have. Null fits everything.
 */
export function shapeFault(answer: unknown, example: unknown, schema: SchemaObject, path = ''): string | undefined {
  if (answer === null || example === null) return undefined;
  if (Array.isArray(answer) && Array.isArray(example)) {
    if (example.length === 0) return undefined;
    if (answer.length === 0) return `${path} is empty, but the example has items`;
    return shapeFault(answer[0], example[0], (schema.items ?? {}) as SchemaObject, `${path}[0]`);
  }
  if (isObject(answer) && isObject(example)) return objectFault(answer, example, { schema, path });
  return typeof answer === typeof example ? undefined : `${path} is ${typeof answer}, but ${typeof example} in the example`;
}

/** Returns the schema of an example whose shape no document tells: all that it has is required. */
export function schemaOf(example: unknown): SchemaObject {
  if (Array.isArray(example)) return { type: 'array', items: schemaOf(example[0]) };
  if (!isObject(example)) return {};
  const properties = Object.fromEntries(Object.entries(example).map(([key, value]) => [key, schemaOf(value)]));
  return { type: 'object', properties, required: Object.keys(properties) };
}

type Fields = Record<string, unknown>;

function objectFault(answer: Fields, example: Fields, { schema, path }: { schema: SchemaObject; path: string }): string | undefined {
  const properties = (schema.properties ?? {}) as Record<string, SchemaObject>;
  for (const key of Object.keys(properties)) {
    const isRequired = ((schema.required ?? []) as string[]).includes(key);
    if (isRequired && !Object.hasOwn(example, key)) return `${path}.${key} is missing in the example`;
    if (isRequired && !Object.hasOwn(answer, key)) return `${path}.${key} is missing, but the example has it`;
    if (!Object.hasOwn(answer, key) || !Object.hasOwn(example, key)) continue;
    const fault = shapeFault(answer[key], example[key], properties[key] as SchemaObject, `${path}.${key}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
