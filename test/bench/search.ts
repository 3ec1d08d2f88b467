import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '../../config/load.js';
import type { ChatApi } from '../../extensions/chat/contract.js';
import type { MembersApi } from '../../extensions/members/contract.js';
import { boot } from '../../kernel/boot/boot.js';
import type { Kernel } from '../../kernel/boot/kernel.js';
import { type Client, connect } from '../../kernel/client/connect.js';
import { direct } from '../../kernel/client/direct.js';
import { http } from '../../kernel/client/http.js';
import { openData } from '../../kernel/platform/data/hub.js';
import { findPart } from '../helpers/parts.js';
import { startOwnPostgres } from '../helpers/postgres.js';
import { password, unmet } from './log-in.js';
import { Filler, messageId } from './search-messages.js';
import { percentile } from './statistics.js';

type Platform = Client<ChatApi & MembersApi>;

interface Place {
  data_dir: string;
  database_url: string;
}

const rounds = 200;
const limit = 20;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Searches among many messages, over HTTP, beside reading as many messages by their primary key. */
export async function search(messages = 1_000_000): Promise<Record<string, unknown>[]> {
  const data_dir = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const found = await measure({ data_dir, database_url: 'sqlite:' }, messages);
  await rm(data_dir, { recursive: true, force: true });
  if (!findPart('postgres', {})) return found;
  const server = await startOwnPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  try {
    return [...found, ...(await measure({ data_dir: folder, database_url: await server.fresh() }, messages))];
  } finally {
    await server.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(place: Place, messages: number): Promise<Record<string, unknown>[]> {
  const few = await withPlatform(place, async (kernel) => (await adminOf(kernel).members.create({ username: 'few', password })).id);
  const filled = await withData(place, async (data) => {
    const { session_id, seconds } = await new Filler(data.facade('chat'), slowly(place, data), { messages, most: 1, few }).fill();
    return { session_id, seconds, bytes: await data.size() };
  });
  const database = place.database_url.startsWith('sqlite') ? 'sqlite' : 'postgres';
  console.log(
    `${database}: ${messages} messages stored and indexed in ${filled.seconds.toFixed(0)} s, ${(filled.bytes / 2 ** 20).toFixed(0)} MiB`,
  );
  const bare = await withData(place, (data) => lookups(data.facade('chat'), messages));
  return withPlatform(place, async (kernel) => {
    const clients = { most: await login(kernel, 'admin'), few: await login(kernel, 'few') };
    const rows: Record<string, unknown>[] = [];
    for (const { name, by, q, in_session } of cases) {
      const input = { q, limit, ...(in_session ? { session_id: filled.session_id } : {}) };
      rows.push({ database, case: name, ...(await timed(() => clients[by].messages.search(input))), limit_ms_p50: bare });
    }
    await Promise.all(Object.values(clients).map((client) => client.close()));
    return rows;
  });
}

interface Case {
  name: string;
  by: 'most' | 'few';
  q: string;
  in_session?: boolean;
}

const cases: readonly Case[] = [
  { name: 'in a tenth of all, one sees 200', by: 'few', q: 'frequent' },
  { name: 'in a tenth of all, in a session of 200', by: 'most', q: 'frequent', in_session: true },
  { name: 'in a tenth of all, one sees most', by: 'most', q: 'frequent' },
  { name: 'two of a tenth, one sees most', by: 'most', q: 'frequent common' },
  { name: 'two of a tenth that are never together', by: 'most', q: 'left right' },
  { name: 'in a tenth of the older half', by: 'most', q: 'ancient' },
  { name: 'only in what others wrote', by: 'most', q: 'foreign' },
  { name: 'rare, one sees most', by: 'most', q: 'unique' },
  { name: 'rare, one sees 200', by: 'few', q: 'unique' },
  { name: 'one letter, one sees most', by: 'most', q: 'e' },
  { name: 'one letter, one sees 200', by: 'few', q: 'e' },
  { name: 'one ideograph, one sees most', by: 'most', q: '一' },
  { name: 'three ideographs, one sees most', by: 'most', q: '一丁七' },
  { name: 'one ideograph, one sees 200', by: 'few', q: '一' },
];

async function timed(work: () => Promise<unknown[]>): Promise<Record<string, unknown>> {
  const took: number[] = [];
  let found = 0;
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    found = (await work()).length;
    took.push(performance.now() - begun);
  }
  return { found, ms_p50: percentile(took, 0.5), ms_p95: percentile(took, 0.95) };
}

/** The time of reading as many messages by their ids, the fastest way there is. */
async function lookups(db: { rows(sql: string, values: string[]): Promise<object[]> }, messages: number): Promise<number> {
  const places = Array.from({ length: limit }, (_, index) => `$${index + 1}`).join();
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ids = Array.from({ length: limit }, (_, index) => messageId(1 + ((round * 7_919 + index * 104_729) % messages)));
    const begun = performance.now();
    await db.rows(`SELECT * FROM chat_messages WHERE id IN (${places})`, ids);
    took.push(performance.now() - begun);
  }
  return percentile(took, 0.5);
}

async function withPlatform<T>({ data_dir, database_url }: Place, work: (kernel: Kernel) => Promise<T>): Promise<T> {
  const overrides = { data_dir, database_url, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet };
  const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true });
  try {
    return await work(kernel);
  } finally {
    await kernel.close();
  }
}

async function withData<T>(
  { data_dir, database_url: url }: Place,
  work: (data: Awaited<ReturnType<typeof openData>>) => Promise<T>,
): Promise<T> {
  const clock = { now: () => Date.now(), iso: () => new Date().toISOString() };
  const data = await openData({ url, data_dir, clock, log: silent });
  try {
    return await work(data);
  } finally {
    await data.close();
  }
}

/** Runs a statement without a limit of its time. */
function slowly({ database_url }: Place, data: Awaited<ReturnType<typeof openData>>): (sql: string) => Promise<void> {
  if (data.dialect === 'sqlite') return async (sql) => void (await data.facade('chat').run(sql));
  return async (sql) => {
    const client = new pg.Client({ connectionString: database_url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
}

function adminOf(kernel: Kernel): Platform {
  return connect<ChatApi & MembersApi>(kernel.operations(), direct(kernel));
}

async function login(kernel: Kernel, username: string): Promise<Platform & { close(): Promise<void> }> {
  const { access_token: token } = await adminOf(kernel).auth.login({ username, password });
  const transport = http({ url: kernel.url ?? '', token });
  return Object.assign(connect<ChatApi & MembersApi>(kernel.operations(), transport), { close: () => transport.close() });
}
