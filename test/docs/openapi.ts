import type { OpenApi } from '../../kernel/platform/http/docs/openapi.js';

/** Returns the OpenAPI document of a server. */
export async function openApiOf(url: string): Promise<OpenApi> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
}
