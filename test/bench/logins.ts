import { once } from 'node:events';
import { Pool } from 'undici';
import { forked } from './forked.js';
import { password } from './log-in.js';
import { message } from './message.js';
import { percentile } from './statistics.js';

/** Twenty logins at once: how long they take beside as many hashes of passwords alone, and whether the event loop still turns meanwhile. */
export async function logins(): Promise<Record<string, unknown>> {
  const child = forked('./logins-server.js');
  const [{ url }] = (await message(child)) as [{ url: string }];
  const pool = new Pool(url, { connections: 21, pipelining: 1 });
  const took: number[] = [];
  let running = true;
  const others: number[] = [];
  const other = (async () => {
    while (running) others.push(await timed(() => pool.request({ method: 'GET', path: '/healthz' })));
  })();
  child.send('measure');
  await message(child);
  for (let round = 0; round < 10; round += 1) {
    const body = JSON.stringify({ username: 'admin', password });
    const headers = { 'content-type': 'application/json' };
    const login = () => pool.request({ method: 'POST', path: '/api/auth/login', headers, body });
    took.push(...(await Promise.all(Array.from({ length: 20 }, () => timed(login)))));
  }
  running = false;
  await other;
  child.send('report');
  const [{ loop_delay_ms_p99, limit_ms }] = (await message(child)) as [{ loop_delay_ms_p99: number; limit_ms: number[] }];
  await pool.close();
  child.kill('SIGTERM');
  await once(child, 'exit');
  return {
    logins: took.length,
    login_ms_p50: percentile(took, 0.5),
    limit_login_ms_p50: percentile(limit_ms, 0.5),
    ratio: percentile(took, 0.5) / percentile(limit_ms, 0.5),
    login_ms_p99: percentile(took, 0.99),
    loop_delay_ms_p99,
    other_requests_ms_p99: percentile(others, 0.99),
  };
}

async function timed(ask: () => Promise<{ statusCode: number; body: { dump(): Promise<void> } }>): Promise<number> {
  const started = performance.now();
  const { statusCode, body } = await ask();
  await body.dump();
  if (statusCode !== 200) throw new Error(`The answer was ${statusCode}`);
  return performance.now() - started;
}
