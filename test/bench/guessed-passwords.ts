import { once } from 'node:events';
import { Pool } from 'undici';
import { forked } from './forked.js';
import { password } from './log-in.js';
import { message } from './message.js';
import { percentile } from './statistics.js';

const networks = 20;
const guessers_of_each = 8;
const logins_measured = 50;

/** Logins from fifty addresses, five at a time, while twenty networks guess passwords without a pause. */
export async function guessedPasswords(): Promise<Record<string, unknown>> {
  const child = forked('./logins-server.js');
  const [{ url }] = (await message(child)) as [{ url: string }];
  const pool = new Pool(url, { connections: networks * guessers_of_each + 5, pipelining: 1 });
  const logIn = async (from: string, credentials: object) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/api/auth/login',
      headers,
      body: JSON.stringify(credentials),
    });
    await body.dump();
    return statusCode;
  };
  let running = true;
  let guesses = 0;
  const guesser = async (n: number) => {
    for (; running; guesses += 1) await logIn(`198.51.${n % networks}.7`, { username: `guess-${n}-${guesses}`, password: 'wrong' });
  };
  const guessers = Array.from({ length: networks * guessers_of_each }, (_, n) => guesser(n));
  const took: number[] = [];
  let refused = 0;
  const person = async (n: number) => {
    for (let turn = 0; turn < logins_measured / 5; turn += 1) {
      const started = performance.now();
      if ((await logIn(`203.0.${n}.${turn + 1}`, { username: 'admin', password })) !== 200) refused += 1;
      took.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: 5 }, (_, n) => person(n)));
  running = false;
  await Promise.all(guessers);
  await pool.close();
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { logins: took.length, refused, guesses, login_ms_p50: percentile(took, 0.5), login_ms_max: Math.max(...took) };
}
