/**
 * The limit of many extensions: bare hapi with ten routes for each of so many, all of one server. `GET /again` makes a further
 * server with the routes of one.
 */
import hapi from '@hapi/hapi';
import joi from 'joi';
import { bareHapi } from './bare-hapi.js';

const routes_each = 10;
const [extensions = '1'] = process.argv.slice(2);

const { server, token } = await bareHapi('1');
for (let extension = 0; extension < Number(extensions); extension += 1) add(server, extension);
server.route({
  method: 'GET',
  path: '/again',
  handler: async () => {
    const again = hapi.server();
    add(again, 0);
    await again.initialize();
    await again.stop();
    return {};
  },
});
await server.start();

function add(to: hapi.Server, extension: number): void {
  const query = joi.object({ name: joi.string().min(1).max(40).required() });
  for (let route = 0; route < routes_each; route += 1) {
    const handler = ({ query: { name } }: { query: Record<string, string> }) => ({ greeting: `Hello, ${name}`, version: '1.0.0' });
    const path = `/api/x/extension${extension}/${route === 0 ? 'greet' : route}`;
    to.route({ method: 'GET', path, options: { validate: { query } }, handler: handler as hapi.Lifecycle.Method });
  }
}

let cpu = { user: 0, system: 0 };
process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  process.send?.({ cpu_s: (user + system) / 1e6, memory_mb: process.resourceUsage().maxRSS / 1024 });
});
process.on('SIGTERM', () => process.exit(0));
process.send?.({ url: server.info.uri, token });
