import t from 'tap';
import type { CleanupReport } from '../../../../kernel/contract/system.js';
import { openBlobs } from '../../../../kernel/platform/data/blobs.js';
import { Cleanup, type CleanupOptions } from '../../../../kernel/platform/maintenance/cleanup.js';
import { eachPlatform } from '../../../helpers/cluster.js';
import { eachDatabase, silentLog, systemClock } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import { adminPassword, callerOf, ownExtension } from '../../../helpers/platform.js';
import { never, rowsIn } from '../backup/world.js';

const data: CleanupOptions['data'] = { lock: (_name, work) => work() };

function cleanupOf(cleaners: Record<string, () => Promise<number>>, change: Partial<CleanupOptions> = {}): Cleanup {
  const contributed = Object.entries(cleaners).map(([name, clean]) => ({ from: 'x', value: { name, clean } }));
  return new Cleanup({ data, clock: systemClock, log: silentLog, cleaners: () => contributed, ...change });
}

t.test('cleaners run in order; one that fails or hangs does not stop the others', async (t) => {
  const logged: object[] = [];
  const cleanup = cleanupOf(
    {
      one: async () => 3,
      broken: async () => {
        throw new Error('SELECT secret FROM /etc/passwd');
      },
      hanging: () => new Promise(() => undefined),
      two: async () => 0,
    },
    { limit_ms: 50, log: { error: (_message, fields) => void logged.push(fields as object) } },
  );
  const { removed, failed } = await cleanup.run(never());
  t.match(removed, [
    { name: 'x.one', rows: 3, ms: Number },
    { name: 'x.two', rows: 0 },
  ]);
  t.match(failed, [
    { name: 'x.broken', code: 'internal_error' },
    { name: 'x.hanging', code: 'cleanup_timeout', message: /longer than 0.05 s/ },
  ]);
  t.notMatch(JSON.stringify(failed), /secret|passwd/, 'an unexpected error is only in the log');
  t.match(logged, [{ cleaner: 'x.broken', err: { message: /passwd/ } }, { cleaner: 'x.hanging' }]);
});

t.test('no further cleaner starts after an abort', async (t) => {
  const aborting = new AbortController();
  const done: string[] = [];
  const cleanup = cleanupOf({
    one: async () => {
      done.push('one');
      aborting.abort(new Error('over'));
      return 1;
    },
    two: async () => done.push('two'),
  });
  await t.rejects(cleanup.run(aborting.signal), { message: 'over' });
  t.same(done, ['one']);
});

t.test('a second concurrent cleanup is rejected, also from another process', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const others = data.dialect === 'postgres' ? await place.open() : data;
    let finish: ((rows: number) => void) | undefined;
    const slow = () => new Promise<number>((resolve) => (finish = resolve));
    const running = cleanupOf({ slow }, { data }).run(never());
    await until(
      () => finish,
      (begun) => begun !== undefined,
    );
    await t.rejects(cleanupOf({ one: async () => 1 }, { data: others }).run(never()), { code: 'maintenance_running', status: 409 });
    const patient = cleanupOf({ one: async () => 2 }, { data: others }).run(never(), { wait_ms: 10_000 });
    finish?.(5);
    t.match(await patient, { removed: [{ rows: 2 }] }, 'a patient cleanup waits for the other');
    t.match(await running, { removed: [{ name: 'x.slow', rows: 5 }] });
    t.match(
      await cleanupOf({ one: async () => 1 }, { data: others }).run(never()),
      { removed: [{ rows: 1 }] },
      'a cleanup can run again afterwards',
    );
    await t.rejects(
      cleanupOf(
        {},
        {
          data,
          cleaners: () => {
            throw Object.assign(new Error('busy'), { isFailure: true, code: 'database_busy', status: 503 });
          },
        },
      ).run(never()),
      { code: 'database_busy' },
      'a busy database does not count as another cleanup',
    );
  }),
);

t.test('blobs that nothing uses are counted, and none is deleted before its time', (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    let shift_ms = -2 * 3_600_000;
    const now = () => systemClock.now() + shift_ms;
    const store = openBlobs(data, { data_dir, clock: { now, iso: () => new Date(now()).toISOString() }, log: silentLog });
    for (const name of ['a', 'b']) await store.of('x').put(Buffer.from(name));
    await store.of('x').hold('one', [await store.of('x').put(Buffer.from('c'))]);
    shift_ms = 0;
    t.equal(await store.withoutRemovals(() => store.sweep()), 0);
    t.equal(await store.sweep(), 2);
    t.equal(await store.sweep(), 0);
  }),
);

const day_ms = 24 * 3_600_000;
let past_ms = 0;
const clock = { now: () => Date.now() - past_ms };
const extensions = ['members', 'chat', 'agents'].map(ownExtension);

t.test('data of every kind above its age is removed, and the rest is kept', (t) =>
  eachPlatform(t, { extensions, clock }, async (t, { kernel, ...place }) => {
    const use = async (username: string) => {
      const create = { username, password: adminPassword };
      await kernel.invoke('members.create', create, callerOf(), { idempotency_key: username });
      const login = await kernel.invoke(
        'auth.login',
        create,
        callerOf({ member_id: 0, username: '', role: 'member', address: '192.0.2.1' }),
      );
      const token = (login.body as { access_token: string }).access_token;
      const caller = await kernel.tokenCaller(token, 'direct');
      await kernel.invoke('auth.ticket', {}, caller);
      const expires_at = new Date(clock.now() + day_ms).toISOString();
      await kernel.invoke('tokens.create', { name: 'x', scopes: ['read'], expires_at }, caller);
      const wrong = { username, password: 'wrong wrong wrong' };
      await kernel.invoke('auth.login', wrong, callerOf({ member_id: 0, role: 'member' })).catch(() => undefined);
    };
    past_ms = 401 * day_ms;
    await use('old');
    past_ms = 0;
    await use('new');
    const before = await rowsIn(place);
    const { body } = await kernel.invoke('maintenance.cleanup', {}, callerOf());
    const { removed, failed } = body as CleanupReport;
    const after = await rowsIn(place);
    t.same(failed, []);
    const rows = Object.fromEntries(removed.map((each) => [each.name, each.rows]));
    t.same(Object.keys(rows).sort(), [
      'agents.approvals',
      'agents.model_habits',
      'agents.settings',
      'agents.usage',
      'chat.files',
      'chat.rooms',
      'chat.uploads',
      'kernel.audit',
      'kernel.blobs',
      'kernel.idempotency',
      'kernel.outbox',
      'members.device_codes',
      'members.failed_logins',
      'members.invitations',
      'members.keys',
      'members.login_places',
      'members.logins',
      'members.password_resets',
      'members.tickets',
      'members.tokens',
    ]);
    const count = (at: typeof before, table: string) => at.get(table)?.length ?? 0;
    const tables = {
      'kernel.idempotency': 'kernel_idempotency',
      'kernel.outbox': 'kernel_outbox',
      'members.failed_logins': 'members_failures',
      'members.login_places': 'members_places',
      'members.logins': 'members_logins',
      'members.tickets': 'members_tickets',
      'members.tokens': 'members_tokens',
    };
    for (const [name, table] of Object.entries(tables)) {
      t.ok((rows[name] ?? 0) > 0, `${name}: ${rows[name]} rows were removed`);
      t.equal(count(before, table) - count(after, table), rows[name], `${table} has lost as many rows`);
      t.ok(count(after, table) > 0, `${table} has kept the new rows`);
    }
    t.equal(count(before, 'kernel_audit') - count(after, 'kernel_audit') + 1, rows['kernel.audit'], 'the cleanup is in the audit trail');
    t.ok((rows['kernel.audit'] ?? 0) > 0);
    t.same(
      (after.get('kernel_audit') ?? []).filter((row) => /"at":"202[0-9]-/.test(row) && row.includes('"old"')),
      [],
    );
    t.ok((after.get('kernel_audit') ?? []).some((row) => row.includes('maintenance.cleanup')));
  }),
);
