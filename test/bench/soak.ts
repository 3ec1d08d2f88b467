/** Keeps a mixed load up for a number of minutes (default 20) and tells whether memory and handles stay flat. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { password } from './log-in.js';
import { message } from './message.js';
import type { Figures } from './soak-server.js';
import { median } from './statistics.js';

const minutes = Number(process.argv[2] ?? 20);
const sample_ms = 10_000;
const server = fork(fileURLToPath(new URL('./soak-server.js', import.meta.url)), {
  execArgv: ['--expose-gc'],
});
const [{ url, token }] = (await message(server)) as [{ url: string; token: string }];
const pool = new Pool(url, { connections: 24, pipelining: 1 });
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const end = performance.now() + minutes * 60_000;
const counts = { requests: 0, failed: 0 };

/** One request; its body as text. */
async function ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<string> {
  counts.requests += 1;
  const answer = await pool.request({ method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await answer.body.text();
  if (answer.statusCode >= 400) {
    counts.failed += 1;
    console.log(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 200)}`);
  }
  return text;
}

/** A conversation: a message, its streamed reply, the list, and the end of the session. */
async function converse(): Promise<void> {
  const { message_id, session_id } = JSON.parse(await ask('POST', '/api/chat/send', { content: '/tools', images: [] })) as Record<
    string,
    string
  >;
  const reply = await ask('GET', `/api/chat/stream/${message_id}`);
  if (!reply.includes('event: done')) counts.failed += 1;
  await ask('GET', `/api/chat/messages?session_id=${session_id}`);
  await ask('DELETE', `/api/chat/sessions/${session_id}`);
}

async function browse(): Promise<void> {
  await ask('GET', '/api/chat/sessions');
  await ask('GET', '/api/members?keyword=a');
  await ask('POST', '/api/x/hello/slow', { ms: 50 });
  await pause(20);
}

async function logInAgain(): Promise<void> {
  await ask('POST', '/api/auth/login', { username: 'admin', password });
  await pause(500);
}

async function lane(work: () => Promise<void>): Promise<void> {
  while (performance.now() < end) await work();
}

const samples: Figures[] = [];
async function watch(): Promise<void> {
  while (performance.now() < end) {
    await pause(sample_ms);
    server.send('figures');
    const [figures] = (await message(server)) as [Figures];
    samples.push(figures);
    console.log(JSON.stringify({ ...figures, ...counts }));
  }
}

await Promise.all([
  watch(),
  lane(logInAgain),
  ...Array.from({ length: 4 }, () => lane(converse)),
  ...Array.from({ length: 8 }, () => lane(browse)),
]);
await pool.close();
server.kill('SIGTERM');
await once(server, 'exit');

const quarter = Math.max(1, Math.floor(samples.length / 4));
const growth = (pick: (figures: Figures) => number) =>
  median(samples.slice(-quarter).map(pick)) / median(samples.slice(quarter, 2 * quarter).map(pick)) - 1;
console.table({
  minutes,
  ...counts,
  heap_growth: growth(({ heap_mb }) => heap_mb),
  memory_growth: growth(({ memory_mb }) => memory_mb),
  resource_growth: growth(({ resources }) => resources),
});
