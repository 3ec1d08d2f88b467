import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { Child } from './child.js';
import { percentile } from './statistics.js';

interface Ready {
  url: string;
  token: string;
}

/** The same number of bytes, four lanes at once: beside these the schema of the plugin costs nothing, or all that it can. */
const inputs = {
  control: { a: [], pad: 'x'.repeat(64_000) },
  'more than anybody checks': { a: Array.from({ length: 16_000 }, () => 400) },
  'as much as the plugin checks': { a: Array.from({ length: 350 }, () => 400), pad: 'x'.repeat(62_000) },
};
const lanes = 4;
const pings = 500;
const every_ms = 10;

/** How long another request takes beside hostile inputs for a plugin's schema, as against inputs of the same length that cost nothing. */
export async function pluginSchemas(): Promise<Record<string, unknown>[]> {
  const { child, ready } = await Child.start<Ready>('./plugins-server.js', ['plugin']);
  try {
    // Warm up, so that compilation counts for none of them.
    await besides(ready, inputs.control);
    const found: { what: string; ms_mean: number; ms_p99: number }[] = [];
    for (const [what, input] of Object.entries(inputs)) found.push({ what, ...(await besides(ready, input)) });
    const [control, ...hostile] = found;
    return [{ ...control }, ...hostile.map((row) => ({ ...row, ratio: row.ms_mean / (control?.ms_mean ?? 0) }))];
  } finally {
    await child.stop();
  }
}

async function besides({ url, token }: Ready, input: object): Promise<{ ms_mean: number; ms_p99: number }> {
  const pool = new Pool(url, { connections: 16, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify(input);
  let isOver = false;
  const lane = async () => {
    while (!isOver) await (await pool.request({ method: 'POST', path: '/api/x/bench/sort', headers, body })).body.dump();
  };
  const all = Array.from({ length: lanes }, lane);
  await pause(500);
  const took: number[] = [];
  const one = async () => {
    const started = performance.now();
    await (await pool.request({ method: 'GET', path: '/api/auth/me', headers })).body.dump();
    took.push(performance.now() - started);
  };
  const asked: Promise<void>[] = [];
  for (let n = 0; n < pings; n += 1) {
    asked.push(one());
    await pause(every_ms);
  }
  await Promise.all(asked);
  isOver = true;
  await Promise.all(all);
  await pool.close();
  return { ms_mean: took.reduce((sum, ms) => sum + ms, 0) / took.length, ms_p99: percentile(took, 0.99) };
}
