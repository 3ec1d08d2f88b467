import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openBlobs } from '../../../../kernel/platform/data/blobs.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { kernelMigrations } from '../../../../kernel/platform/data/migrations.js';
import { silentLog, systemClock } from '../../../helpers/databases.js';
import { skipWithout } from '../../../helpers/parts.js';
import { bank, Stopped } from './world.js';

const options = { skip: skipWithout('postgres') };

const account = 'INSERT INTO bank_accounts (owner_id, code, amount, rate, open, stamp) VALUES ($1, $2, $3, $4, $5, $6)';

t.test('each kind of value is moved unchanged, and sequences continue after the last number', options, async (t) => {
  const large = randomBytes(2_500_000);
  let hash = '';
  const stopped = await Stopped.make(t, async (data, blobs) => {
    const db = data.facade('bank');
    for (const name of ['Ada', '東京', 'O\'\\"\u0001']) await db.run('INSERT INTO bank_owners (name) VALUES ($1)', [name]);
    await db.run("INSERT INTO bank_owners (id, name) VALUES (40, 'gone')");
    await db.run('DELETE FROM bank_owners WHERE id = 40');
    await db.run(account, [1, 'b', 12, 0.1, true, Buffer.from([0, 255, 92])]);
    await db.run(account, [2, 'a\t\r\n😀', null, 1e300, false, null]);
    await db.run(account, [2, 'Ä', 0, -5e-324, null, Buffer.alloc(0)]);
    await db.run(account, [3, '', 1, 3, true, null]);
    await db.run("UPDATE bank_accounts SET amount = 9223372036854775807 WHERE code = 'b'");
    await db.run("UPDATE bank_accounts SET amount = -9007199254740993 WHERE code = 'Ä'");
    for (const text of ['x', null, 'x', 'y']) await db.run('INSERT INTO bank_notes (text) VALUES ($1)', [text]);
    hash = await blobs.of('bank').put(large);
    await blobs.of('bank').hold('vault', [hash, await blobs.of('bank').put(Buffer.alloc(0))]);
  });
  const before = await stopped.files();
  const steps: number[] = [];
  const { tables, missing_blobs } = await stopped.move({ progress: (done, total) => void steps.push(done / total) });
  t.same(await stopped.files(), before, 'the source is unchanged');
  t.same([steps.at(-1), steps.toSorted((a, b) => a - b)], [1, steps]);
  const counts = Object.fromEntries(tables.map(({ table, rows }) => [table, rows]));
  t.match(counts, {
    bank_owners: 3,
    bank_accounts: 4,
    bank_notes: 5,
    kernel_blobs: 2,
    kernel_blob_chunks: 2,
    kernel_migrations: kernelMigrations.length + 1,
  });
  t.ok(tables.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256)));
  t.same(missing_blobs, []);

  t.same(await stopped.ask('SELECT id, name FROM bank_owners ORDER BY id'), [
    { id: 1, name: 'Ada' },
    { id: 2, name: '東京' },
    { id: 3, name: 'O\'\\"\u0001' },
  ]);
  const shown = 'SELECT code, amount, rate, open, encode(stamp, \'hex\') AS stamp FROM bank_accounts ORDER BY code COLLATE "C"';
  t.same(await stopped.ask(shown), [
    { code: '', amount: '1', rate: 3, open: true, stamp: null },
    { code: 'a\t\r\n😀', amount: null, rate: 1e300, open: false, stamp: null },
    { code: 'b', amount: '9223372036854775807', rate: 0.1, open: true, stamp: '00ff5c' },
    { code: 'Ä', amount: '-9007199254740993', rate: -5e-324, open: null, stamp: '' },
  ]);
  t.same((await stopped.ask("INSERT INTO bank_owners (name) VALUES ('new') RETURNING id"))[0], { id: 41 });
  t.equal((await stopped.ask('SELECT * FROM bank_index')).length, 4, 'tables that are not copied were rebuilt');

  const data = await openData({ url: stopped.url, data_dir: stopped.data_dir, clock: systemClock, log: silentLog });
  t.teardown(() => data.close());
  await data.migrate('bank', bank);
  const blobs = openBlobs(data, { data_dir: stopped.data_dir, clock: systemClock, log: silentLog });
  t.ok((await blobs.of('bank').get(hash))?.equals(large));
  await t.rejects(stopped.move(), { code: 'move_target_not_empty', fix: /PLATFORM_DATABASE_URL/ }, 'a second move is rejected');
});

t.test("a value that PostgreSQL can't store is reported with its row, and the target stays empty", options, async (t) => {
  const cases: [RegExp, string, string?][] = [
    [/'code' of 'bank_accounts'.*code "a\\u0000b".*NUL/, "'a' || char(0) || 'b', 1, 1"],
    [/'amount' of 'bank_accounts'.*code "x".*not a whole number/, "'x', 'much', 1"],
    [/'open' of 'bank_accounts'.*neither 0 nor 1/, "'x', 1, 2"],
    [/'name' of 'bank_owners'.*longer than the 8 characters/, "'x', 1, 1", "UPDATE bank_owners SET name = 'nine😀😀😀😀😀'"],
    [/'id' of 'bank_owners'.*too large for integer/, "'x', 1, 1", 'UPDATE bank_accounts SET owner_id = 2147483648'],
  ];
  for (const [told, values, then] of cases) {
    const stopped = await Stopped.make(t, async (data) => {
      const db = data.facade('bank');
      await db.run("INSERT INTO bank_owners (id, name) VALUES (1, 'eight😀😀😀')");
      await db.run(`INSERT INTO bank_accounts (owner_id, code, amount, open) VALUES (1, ${values})`);
      await db.run('DROP TABLE bank_notes');
      await db.run('CREATE TABLE bank_notes (text TEXT)');
      if (then?.startsWith('UPDATE bank_accounts')) await db.run("INSERT INTO bank_owners (id, name) VALUES (2147483648, 'far')");
      if (then) await db.run(then);
    });
    await t.rejects(stopped.move(), { code: 'move_value_refused', message: told, fix: /as it was/ });
    t.same(await stopped.relations(), []);
  }
});

t.test('an altered, lost or duplicated row is detected', options, async (t) => {
  const alterations = {
    altered: "IF NEW.code = 'm' THEN NEW.amount := NEW.amount + 1; END IF; RETURN NEW",
    lost: "IF NEW.code = 'm' THEN RETURN NULL; END IF; RETURN NEW",
    doubled: "IF NEW.code = 'm' THEN INSERT INTO bank_accounts (owner_id, code, amount) VALUES (1, 'm2', 1); END IF; RETURN NEW",
  };
  for (const [what, body] of Object.entries(alterations)) {
    const stopped = await Stopped.make(t, async (data) => {
      const db = data.facade('bank');
      await db.run("INSERT INTO bank_owners (id, name) VALUES (1, 'Ada')");
      for (const code of ['a', 'm', 'z']) await db.run(account, [1, code, 5, 1, true, null]);
    });
    await sabotage(stopped, { table: 'bank_accounts', body });
    const message =
      /'bank_accounts' is not the same: 3 rows with the hash [0-9a-f]{64} in SQLite, \d with [0-9a-f]{64} in PostgreSQL; the first different row has code "[mz]/;
    await t.rejects(stopped.move(), { code: 'move_differs', message }, what);
    t.same(await stopped.relations(), [], 'nothing is left in the target');
  }
  const stopped = await Stopped.make(t, async (_data, blobs) => {
    await blobs.of('bank').hold('vault', [await blobs.of('bank').put(Buffer.from('precious'))]);
  });
  await sabotage(stopped, { table: 'kernel_blob_chunks', body: "NEW.content := 'paltry'::bytea; RETURN NEW" });
  await t.rejects(stopped.move(), { code: 'move_differs', message: /The blob [0-9a-f]{64} differs/ });
});

/** Has the target do something else with what is written to a table, as soon as that is made. */
async function sabotage(stopped: Stopped, { table, body }: { table: string; body: string }): Promise<void> {
  await stopped.ask('CREATE SCHEMA apart');
  await stopped.ask(`CREATE FUNCTION apart.alter_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; END $$`);
  await stopped.ask(`CREATE FUNCTION apart.lay() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_event_trigger_ddl_commands() WHERE object_identity = 'public.${table}' AND command_tag = 'CREATE TABLE') THEN
      CREATE TRIGGER altering BEFORE INSERT ON public.${table} FOR EACH ROW EXECUTE FUNCTION apart.alter_row();
    END IF; END $$`);
  await stopped.ask("CREATE EVENT TRIGGER laying ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION apart.lay()");
}

t.test('after any interruption the target is empty and a retry succeeds', options, async (t) => {
  const stopped = await Stopped.make(t, async (data) => {
    for (let id = 0; id < 2_500; id += 1) await data.facade('bank').run('INSERT INTO bank_notes (text) VALUES ($1)', [`note ${id}`]);
  });
  // While rows are copied, and while they are compared.
  for (const share of [0.2, 0.7]) {
    const abort = new AbortController();
    const stop = (done: number, total: number) => done > share * total && abort.abort(new Error('enough'));
    await t.rejects(stopped.move({ signal: abort.signal, progress: stop }), { message: 'enough' });
    t.same(await stopped.relations(), []);
  }

  let cutting: Promise<unknown> | undefined;
  const cut = (done: number) => {
    if (done > 1_000)
      cutting ??= stopped.ask(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
  };
  await t.rejects(stopped.move({ progress: cut }), { code: 'move_cut', fix: /run it again/ });
  await cutting;
  t.same(await stopped.relations(), []);

  await stopped.move();
  t.same(await stopped.ask('SELECT count(*)::int AS rows FROM bank_notes'), [{ rows: 2_501 }]);
});

t.test('an unsuitable target is reported before copying', options, async (t) => {
  const stopped = await Stopped.make(t);
  const at = (change: (url: URL) => void) => {
    const url = new URL(stopped.url);
    change(url);
    return stopped.move({ url: url.href });
  };
  await t.rejects(
    at((url) => (url.pathname = '/nowhere')),
    { code: 'move_target_missing', fix: /createdb/ },
  );
  await t.rejects(
    at((url) => (url.port = '1')),
    { code: 'move_target_unreachable' },
  );
  await t.rejects(
    at((url) => (url.username = 'nobody')),
    { code: 'move_target_denied', message: /refuses the login/ },
  );
  await stopped.ask('DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$');
  await t.rejects(
    at((url) => (url.username = 'guest')),
    { code: 'move_target_denied', message: /lacks a permission/, fix: /OWNER TO/ },
  );
  await stopped.ask('CREATE VIEW something AS SELECT 1');
  await t.rejects(stopped.move(), { code: 'move_target_not_empty', message: /'something'/ });
});

t.test('a source of another version or with unknown tables is left alone', options, async (t) => {
  const stopped = await Stopped.make(t);
  const known = (...entries: [string, typeof bank][]) => ({ migrations: async () => new Map([...stopped.known, ...entries]) });
  const later = { name: '0002-later', up: async () => undefined };
  await t.rejects(stopped.move(known(['bank', [...bank, later]])), {
    code: 'move_source_older',
    message: /0002-later of 'bank'/,
    fix: /platform serve/,
  });
  await t.rejects(stopped.move(known(['bank', [later]])), { code: 'schema_newer', message: /0001-bank/ });
  const [without] = [new Map([...stopped.known].filter(([owner]) => owner !== 'bank'))];
  await t.rejects(stopped.move({ migrations: async () => without }), { code: 'move_extension_missing', message: /'bank'/ });
  const other = [
    { ...bank[0], name: '0001-bank', up: ({ run }: { run: (sql: string) => Promise<void> }) => run('CREATE TABLE bank_other (a TEXT)') },
  ];
  await t.rejects(stopped.move(known(['bank', other])), { code: 'move_tables_differ' });
  t.same(await stopped.relations(), []);
  await t.rejects(stopped.move({ file: join(stopped.data_dir, 'none.db') }), { code: 'move_source_missing' });
  await writeFile(join(stopped.data_dir, 'none.db'), randomBytes(9_000));
  await t.rejects(stopped.move({ file: join(stopped.data_dir, 'none.db') }), { code: 'database_corrupt' });
});

t.test('a blob that was lost before the move is named and does not stop the move', options, async (t) => {
  let hash = '';
  const stopped = await Stopped.make(t, async (_data, blobs) => {
    hash = await blobs.of('bank').put(Buffer.from('lost'));
    await blobs.of('bank').hold('vault', [hash]);
  });
  await rm(join(stopped.data_dir, 'blobs'), { recursive: true });
  t.same((await stopped.move()).missing_blobs, [hash.replace('sha256:', '')]);
});
