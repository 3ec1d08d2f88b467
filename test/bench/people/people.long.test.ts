import t from 'tap';
import { skipWithout } from '../../helpers/parts.js';
import { people } from '../people.js';

const few = { seconds: 20, settle_ms: 500, first: 40, max: 40, halvings: 0 };

t.test('the benchmark of people measures simulated people on one instance with SQLite', async (t) => {
  const [row, ...reasons] = await people({ ...few, setups: [{ database: 'sqlite', instances: 1 }] });
  t.match(row, { database: 'sqlite', instances: 1, people: Number, limit: String, errors_percent: 0, lost_sockets: 0 });
  for (const figure of ['requests_per_s', 'frames_per_s', 'actions_per_s', 'server_cores', 'generator_cores'])
    t.ok(Number(row?.[figure]) > 0, figure);
  t.ok(reasons.every(({ why }) => typeof why === 'string'));
});

t.test('and on three instances', { skip: skipWithout('postgres', 'redis', 'haproxy') }, async (t) => {
  const [row] = await people({ ...few, setups: [{ database: 'postgres', instances: 3 }] });
  t.match(row, { database: 'postgres', instances: 3, people: Number, errors_percent: 0 });
  t.ok(Number(row?.database_and_bus_cores) > 0 && Number(row?.balancer_cores) > 0);
});
