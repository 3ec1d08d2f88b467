/**
 * The limit of many extensions: bare hapi with ten routes for each of so many, all of one server. `GET /again` makes a further
 * server with the routes of one.
 */
import { bareHapi } from './bare-hapi.js';
import { tellFigures } from './figures.js';
import { addRoutes, makeAndEnd } from './routes.js';

const [extensions = '1'] = process.argv.slice(2);

const { server, token } = await bareHapi('1');
for (let extension = 0; extension < Number(extensions); extension += 1) addRoutes(server, extension);
server.route({
  method: 'GET',
  path: '/again',
  handler: async () => {
    await makeAndEnd();
    return {};
  },
});
await server.start();

tellFigures({ user: 0, system: 0 });
process.send?.({ url: server.info.uri, token });
