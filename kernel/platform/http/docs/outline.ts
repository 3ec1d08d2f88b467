import { server as createServer, type PluginSpecificConfiguration } from '@hapi/hapi';
import Joi, { type ObjectSchema } from 'joi';
import type { ActiveOperation } from '../../../core/catalog/catalog.js';
import { takesBody } from '../input.js';
import type { Paths } from './openapi.js';

/**
 * The paths of operations, made by hapi-swagger from a twin of their cell: it wants routes of a hapi server, and the
 * cell that serves shall not carry it.
 */
export async function outline(extension: string, operations: readonly ActiveOperation[]): Promise<Paths> {
  const { default: plugin } = await import('hapi-swagger');
  const twin = createServer({ debug: false, compression: false });
  const settings = { OAS: 'v3.0', documentationPage: false, swaggerUI: false, definitionPrefix: 'useLabel', grouping: 'tags' } as const;
  await twin.register({ plugin, options: { ...settings, info: { title: extension }, servers: [{ url: 'http://localhost' }] } });
  for (const operation of operations) {
    const { method, path, summary } = operation.operation;
    const plugins: PluginSpecificConfiguration = { 'hapi-swagger': description(operation) };
    twin.route({ method, path, handler: () => null, options: { description: summary, tags: ['api', extension], plugins } });
  }
  const { result } = await twin.inject('/openapi.json');
  return (result as { paths: Paths }).paths;
}

function description(active: ActiveOperation): Record<string, unknown> {
  const { operation, id } = active;
  const { params, query, payload } = parts(active);
  return {
    id,
    validate: { params, query, ...(takesBody(operation) ? { payload } : {}) },
    payloadType: operation.kind === 'upload' ? 'form' : 'json',
    // Statuses and bodies of answers are written later, with what the kernel adds to them.
    responses: { default: { description: 'An answer' } },
  };
}

/** The flat input, by the place from which each key comes. */
function parts(active: ActiveOperation): Record<'params' | 'query' | 'payload', ObjectSchema> {
  const { operation } = active;
  const params: Record<string, Joi.Schema> = {};
  const query: Record<string, Joi.Schema> = {};
  const payload: Record<string, Joi.Schema> = {};
  for (const key of inputKeys(active)) {
    const schema = active.input.extract(key);
    if (isInPath(operation.path, key)) params[key] = schema.required();
    else if (!takesBody(operation) || operation.query?.includes(key)) query[key] = schema;
    else payload[key] = schema;
  }
  if (operation.kind === 'upload') {
    delete payload.file;
    payload[operation.file_field ?? 'file'] = Joi.any().meta({ swaggerType: 'file' }).required();
  }
  return { params: Joi.object(params), query: Joi.object(query), payload: Joi.object(payload).label('input') };
}

function inputKeys(active: ActiveOperation): string[] {
  return Object.keys((active.data().input as { properties?: object }).properties ?? {});
}

export function isInPath(path: string, key: string): boolean {
  return path.includes(`{${key}}`);
}
