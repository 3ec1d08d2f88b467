import type { Server } from '@hapi/hapi';
import type { Subject } from '../../../contract/operation.js';
import type { JsonSchema } from '../../../contract/schema.js';
import type { ActiveOperation } from '../../../core/catalog/catalog.js';
import type { CellContent } from '../../../core/catalog/cell.js';
import { audienceOf } from '../../../core/invoke/authorise.js';
import { isInPath, takesBody } from '../input.js';
import { endEvents, progressEvents } from '../stream-events.js';
import { answers } from './answers.js';
import { type DescribedEvents, describeEvents, eventTable } from './events.js';
import { type OperationObject, type ParameterObject, type Paths, reference, type SchemaObject, type Schemas } from './openapi.js';
import { outline } from './outline.js';
import { openApiSchema } from './schema.js';

/** The part of the document for one extension. */
export interface Described {
  paths: Paths;
  schemas: Schemas;
  subjects: Subject[];
}

/**
 * Describes operations; those that name no subject are listed under the extension itself. Schema names start with the extension, so
 * that they don't collide.
 */
export async function describe(
  server: Server,
  { extension, operations }: Pick<CellContent, 'extension' | 'operations'>,
  itself: Subject,
): Promise<Described> {
  const paths = await outline(server, extension, operations);
  const schemas: Schemas = {};
  for (const active of operations) {
    const { path, method, subject = itself } = active.operation;
    const outlined = paths[path]?.[method.toLowerCase()];
    if (outlined) complete(outlined, active, { subject, schemas });
  }
  return { paths, schemas, subjects: operations.map(({ operation }) => operation.subject ?? itself) };
}

/** Completes hapi-swagger's description of a route with details that it doesn't know or describes too loosely. */
function complete(outlined: OperationObject, active: ActiveOperation, { subject, schemas }: { subject: Subject; schemas: Schemas }): void {
  const { operation, id, extension } = active;
  const data = active.data();
  const name = `${extension}.${id.startsWith(`${extension}.`) ? id.slice(extension.length + 1) : id}`;
  const properties = (data.input as JsonSchema).properties ?? {};
  const input = (active.example?.()?.input ?? {}) as Readonly<Record<string, unknown>>;
  const parameters = (outlined.parameters ?? []).map((found) => withExample(withExactSchema(found, properties), input));
  outlined.parameters = [...parameters, ...headers(active)];
  const requestBody = takesBody(operation) ? body(active, { name: `${name}.input`, schemas }) : undefined;
  if (requestBody) outlined.requestBody = requestBody;
  else delete outlined.requestBody;
  if (data.answer) schemas[`${name}.answer`] = openApiSchema(data.answer as JsonSchema);
  outlined.responses = answers(active, data.answer ? reference(`${name}.answer`) : undefined);
  outlined.tags = [subject.name];
  outlined.description = permitted(active);
  outlined['x-audience'] = audienceOf(operation);
  if (operation.events) addEvents(outlined, streamForm, { ...describeEvents(endEvents), ...describeEvents(operation.events) });
  if (operation.progress) addEvents(outlined, progressForm, describeEvents(progressEvents));
  if (operation.who === 'public') outlined.security = [];
}

const streamForm =
  'The answer is a stream of server-sent events; `data` of each is a JSON object that also has the `type`. Ignore types that you do not know.';
const progressForm = 'With `Accept: text/event-stream` it reports its progress in server-sent events.';

/** Lists events in the text, and their schemas beside it. */
function addEvents(outlined: OperationObject, form: string, events: DescribedEvents): void {
  outlined.description = `${outlined.description}\n\n${form}\n\n${eventTable('Event', events)}`;
  outlined['x-events'] = events;
}

/** Replaces a parameter's schema: hapi-swagger describes values of any type as text, and supports no key patterns. */
function withExactSchema(parameter: ParameterObject, properties: Readonly<Record<string, JsonSchema>>): ParameterObject {
  const schema = properties[parameter.name];
  return schema ? { ...parameter, schema: openApiSchema(schema) } : parameter;
}

function withExample(parameter: ParameterObject, input: Readonly<Record<string, unknown>>): ParameterObject {
  return Object.hasOwn(input, parameter.name) ? { ...parameter, example: input[parameter.name] } : parameter;
}

function body(active: ActiveOperation, named: { name: string; schemas: Schemas }): OperationObject['requestBody'] {
  const { operation } = active;
  const input = active.data().input as JsonSchema;
  const isOutsideBody = (key: string) => isInPath(operation.path, key) || operation.query?.includes(key);
  const fields = Object.keys(input.properties ?? {}).filter((key) => !isOutsideBody(key));
  const schema = openApiSchema(pickKeys(input, fields));
  if (operation.verbatim) return { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
  if (operation.kind === 'upload') {
    const raw = operation.raw === undefined ? {} : { [operation.raw]: { schema: { type: 'string', format: 'binary' } } };
    const form = withFile(withExamples(schema, active.example?.()?.input ?? {}), operation.file_field ?? 'file');
    return { required: true, content: { 'multipart/form-data': { schema: form }, ...raw } };
  }
  if (fields.length === 0) return undefined;
  named.schemas[named.name] = schema;
  const example = bodyExample(active, isOutsideBody);
  const content = { schema: reference(named.name), ...(example === undefined ? {} : { example }) };
  return { required: schema.required !== undefined, content: { 'application/json': content } };
}

/** Returns the part of an operation's example that is sent as the body. */
function bodyExample(active: ActiveOperation, isOutside: (key: string) => boolean | undefined): object | undefined {
  const example = active.example?.();
  if (!example) return undefined;
  return Object.fromEntries(Object.entries(example.input ?? {}).filter(([key]) => !isOutside(key)));
}

/** Returns an object's schema reduced to some of its keys. */
function pickKeys(schema: JsonSchema, keys: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(keys.map((key) => [key, schema.properties?.[key] ?? {}]));
  const required = schema.required?.filter((key) => keys.includes(key)) ?? [];
  const { required: _all, allOf, ...rest } = schema;
  const rules = keys.length === Object.keys(schema.properties ?? {}).length && allOf ? { allOf } : {};
  return { ...rest, ...rules, properties, ...(required.length > 0 ? { required } : {}) };
}

/** Adds the values of an example to the fields of a form, whose file can't be part of one. */
function withExamples(schema: SchemaObject, input: object): SchemaObject {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, SchemaObject>).map(([key, property]) => {
    const example = (input as Record<string, unknown>)[key];
    return [key, example === undefined ? property : { ...property, example }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Renames the input's key `file` to its field name in a form. */
function withFile(schema: SchemaObject, name: string): SchemaObject {
  const { file: _file, ...others } = (schema.properties ?? {}) as Record<string, unknown>;
  const required = ((schema.required as string[] | undefined) ?? []).filter((key) => key !== 'file');
  return { ...schema, properties: { ...others, [name]: { type: 'string', format: 'binary' } }, required: [...required, name] };
}

function headers({ operation }: ActiveOperation): ParameterObject[] {
  const text = (maxLength: number) => ({ type: 'string', maxLength });
  const key = 'A retry with the same key returns the first response and does nothing twice';
  const sent: ParameterObject[] = [];
  if (operation.idempotent) sent.push({ name: 'Idempotency-Key', in: 'header', description: key, schema: text(200) });
  const preferences = [
    ...(operation.respond_async ? ['`respond-async`: returns 202 at once; the work continues'] : []),
    ...(takesBody(operation) && !operation.verbatim ? ['`handling=strict`: rejects unknown fields, which are dropped otherwise'] : []),
  ];
  if (preferences.length > 0) sent.push({ name: 'Prefer', in: 'header', description: preferences.join('. '), schema: text(200) });
  if (operation.kind !== 'stream' && operation.kind !== 'file') return sent;
  const cursor: ParameterObject = {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The cursor after which the stream continues',
    schema: text(500),
  };
  return [
    ...sent,
    ...(operation.kind === 'stream' && operation.method === 'GET' ? [cursor] : []),
    { name: 'ticket', in: 'query', description: "A ticket, if the client can't send headers", schema: text(500) },
    { name: 'token', in: 'query', description: "An access token, if the client can't send headers", schema: text(4000) },
  ];
}

function permitted({ operation }: ActiveOperation): string {
  const who = { public: 'For everybody.', member: 'For members.', admin: 'For administrators.' }[operation.who];
  return operation.scope ? `${who} A personal token needs the scope \`${operation.scope}\`.` : who;
}
