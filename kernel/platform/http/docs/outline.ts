import type { PluginSpecificConfiguration, Server } from '@hapi/hapi';
import type { ActiveOperation } from '../../../core/catalog/catalog.js';
import { placesOf } from '../input.js';
import { validates } from '../routes.js';
import type { Paths } from './openapi.js';

const settings = { OAS: 'v3.0', documentationPage: false, swaggerUI: false, definitionPrefix: 'useLabel', grouping: 'tags' } as const;

/** Returns the paths of operations as hapi-swagger describes the routes that serve them. Call it once for each server. */
export async function outline(server: Server, extension: string, operations: readonly ActiveOperation[]): Promise<Paths> {
  const { default: plugin } = await import('hapi-swagger');
  await server.register({ plugin, options: { ...settings, info: { title: extension }, servers: [{ url: 'http://localhost' }] } });
  for (const active of operations) {
    const plugins = server.lookup(active.id)?.settings.plugins;
    if (plugins) plugins['hapi-swagger'] = description(active);
  }
  const { result } = await server.inject('/openapi.json');
  return (result as { paths: Paths }).paths;
}

/** Returns details that the route lacks: its name, and the input schemas that hapi does not validate. */
function description(active: ActiveOperation): NonNullable<PluginSpecificConfiguration['hapi-swagger']> {
  // Responses are added later, together with those of the kernel.
  const responses = { default: { description: 'An answer' } };
  return { id: active.id, responses, ...(validates(active) ? {} : { validate: placesOf(active) }) };
}
