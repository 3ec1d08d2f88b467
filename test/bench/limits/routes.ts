import hapi from '@hapi/hapi';
import joi from 'joi';

const routes_each = 10;

/** Adds the ten routes of one extension. */
export function addRoutes(to: hapi.Server, extension: number): void {
  const query = joi.object({ name: joi.string().min(1).max(40).required() });
  for (let route = 0; route < routes_each; route += 1) {
    const handler = ({ query: { name } }: { query: Record<string, string> }) => ({ greeting: `Hello, ${name}`, version: '1.0.0' });
    const path = `/api/x/extension${extension}/${route === 0 ? 'greet' : route}`;
    to.route({ method: 'GET', path, options: { validate: { query } }, handler: handler as hapi.Lifecycle.Method });
  }
}

/** The limit of a replacement: a hapi server that has one extension's routes, and its end. */
export async function makeAndEnd(): Promise<void> {
  const server = hapi.server();
  addRoutes(server, 0);
  await server.initialize();
  await server.stop();
}
