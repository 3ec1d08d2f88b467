import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '../../config/load.js';
import type { MembersApi } from '../../extensions/members/contract.js';
import type { NotificationsApi } from '../../extensions/notifications/contract.js';
import { boot } from '../../kernel/boot/boot.js';
import type { Kernel } from '../../kernel/boot/kernel.js';
import { connect } from '../../kernel/client/connect.js';
import { direct } from '../../kernel/client/direct.js';
import { http } from '../../kernel/client/http.js';
import { openData } from '../../kernel/platform/data/hub.js';
import { findPart } from '../helpers/parts.js';
import { startOwnPostgres } from '../helpers/postgres.js';
import { password, unmet } from './log-in.js';
import { percentile } from './statistics.js';

type Platform = MembersApi & NotificationsApi;

interface Place {
  data_dir: string;
  database_url: string;
}

const rounds = 50;
const all = { status: 'all', source: '', page: 1, limit: 20 } as const;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Lists, counts and marks over HTTP what one member has, as much as a member may have. */
export async function notifications(count = 100_000): Promise<Record<string, unknown>[]> {
  const data_dir = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const found = await measure({ data_dir, database_url: 'sqlite:' }, count);
  await rm(data_dir, { recursive: true, force: true });
  if (!findPart('postgres', {})) return found;
  const server = await startOwnPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  try {
    return [...found, ...(await measure({ data_dir: folder, database_url: await server.fresh() }, count))];
  } finally {
    await server.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(place: Place, count: number): Promise<Record<string, unknown>[]> {
  const member_id = await withPlatform(place, async (kernel) => (await membersOf(kernel).create({ username: 'ada', password })).id);
  const limit_ms_p50 = await fill(place, { member_id, count });
  const database = place.database_url.startsWith('sqlite') ? 'sqlite' : 'postgres';
  return withPlatform(place, async (kernel) => {
    const { access_token: token } = await connect<Platform>(kernel.operations(), direct(kernel)).auth.login({ username: 'ada', password });
    const transport = http({ url: kernel.url ?? '', token });
    const { list, read, unread_count, send } = connect<Platform>(kernel.operations(), transport).notifications;
    const rows: Record<string, unknown>[] = [];
    const time = async (what: string, work: () => Promise<unknown>, times = rounds) => {
      rows.push({ database, what, ...(await timed(work, times)), limit_ms_p50 });
    };
    await time('first page of all', () => list(all));
    await time('last page of all', () => list({ ...all, page: count / all.limit }));
    await time('first page of the unread', () => list({ ...all, status: 'sent' }));
    await time('first page of the read', () => list({ ...all, status: 'read' }));
    await time('of one source', () => list({ ...all, source: 'schedule' }));
    await time('unread count', () => unread_count({}));
    await time('mark one', async () =>
      read({ notification_ids: [(await send({ title: `${Math.random()}`, summary: '' })).notification_ids[0] ?? 0] }),
    );
    await time('mark all', () => read({ all: true }), 1);
    await time('unread count, once all is marked', () => unread_count({}));
    await time('first page of the read, once all is marked', () => list({ ...all, status: 'read' }));
    await transport.close();
    return rows;
  });
}

async function timed(work: () => Promise<unknown>, times: number): Promise<{ ms_p50: number; ms_p95: number }> {
  const took: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const begun = performance.now();
    await work();
    took.push(performance.now() - begun);
  }
  return { ms_p50: percentile(took, 0.5), ms_p95: percentile(took, 0.95) };
}

/** All unread but the oldest tenth. Gives how long it takes to read a page of them by their ids, the fastest way there is. */
async function fill({ data_dir, database_url: url }: Place, { member_id, count }: { member_id: number; count: number }): Promise<number> {
  const clock = { now: () => Date.now(), iso: () => new Date().toISOString() };
  const data = await openData({ url, data_dir, clock, log: silent });
  try {
    const db = data.facade('notifications');
    const text = data.dialect === 'postgres' ? 'CAST(x AS VARCHAR)' : 'CAST(x AS TEXT)';
    const batch = 10_000;
    for (let start = 0; start < count; start += batch) {
      await db.run(
        `INSERT INTO notifications_items (member_id, source, title, summary, sameness, count, state, im_channel, created_at, read_at)
         SELECT $1, CASE WHEN x % 3 = 0 THEN 'schedule' ELSE 'system' END, 'Title ' || ${text}, 'What happened, in a sentence or two', ${text}, 1,
           CASE WHEN x < $2 THEN 'read' ELSE 'sent' END, 'web', $3, CASE WHEN x < $2 THEN '2026-01-01T00:00:00.000Z' ELSE NULL END
         FROM (WITH RECURSIVE n(x) AS (SELECT ${start} UNION ALL SELECT x + 1 FROM n WHERE x < ${start + batch - 1}) SELECT x FROM n) n`,
        [member_id, count / 10, clock.iso()],
      );
    }
    if (data.dialect === 'sqlite') await db.run('ANALYZE');
    else await vacuum(url);
    const page = () => db.rows(`SELECT * FROM notifications_items WHERE id > $1 AND id <= $1 + ${all.limit}`, [count / 2]);
    return (await timed(page, rounds)).ms_p50;
  } finally {
    await data.close();
  }
}

/** As PostgreSQL does by itself after so many insertions, in its own time. */
async function vacuum(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('VACUUM ANALYZE').finally(() => client.end());
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

function membersOf(kernel: Kernel) {
  return connect<Platform>(kernel.operations(), direct(kernel)).members;
}
