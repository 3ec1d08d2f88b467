import t, { type Test } from 'tap';
import { migrations } from '../../../../extensions/chat/migrations/index.js';
import { defineModels, type FileRow } from '../../../../extensions/chat/models.js';
import { FileReading } from '../../../../extensions/chat/search/file-reading.js';
import { FileTexts, type TextJob } from '../../../../extensions/chat/store/file-texts-sql.js';
import { FileRows } from '../../../../extensions/chat/store/files-sql.js';
import { Messages } from '../../../../extensions/chat/store/messages-sql.js';
import { SearchIndex } from '../../../../extensions/chat/store/search-sql.js';
import { Sessions } from '../../../../extensions/chat/store/sessions-sql.js';
import { type DocumentText, failures, type StoredDocument, type UnreadableDocument } from '../../../../kernel/contract/index.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, silentLog } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import { type Bench, workerOf } from '../../../helpers/work.js';
import { gate } from '../scribe.js';

const [ada, ben, eve] = [7, 8, 9];
const now = '2026-11-20T12:00:00.000Z';
const fail = failures({ server_busy: 503, documents_not_contained: 409, document_failed: 500 });
const plain = { name: 'a.txt', mime_type: 'text/plain' };

type FileText = DocumentText | UnreadableDocument;

interface World {
  texts: FileTexts;
  rows: FileRows;
  /** Names of the files that were read, in order. */
  read: string[];
  /** Adds a file, of ada unless another member has uploaded it, and a message of ada that names it. Queues its text. */
  send: (id: string, file?: Partial<FileRow>) => Promise<void>;
  /** Performs a job without a claim. */
  perform: (job: TextJob) => Promise<void>;
  /** Starts a process that reads the texts. */
  start: () => Bench<TextJob, void, TextJob>;
  /** Returns the numbers of messages with a term. */
  found: (term: string) => Promise<number[]>;
  /** Returns the row of a file. */
  row: (id: string) => Promise<{ text: string | null; waiting: number; attempts: number } | undefined>;
}

/** Opens chat's tables, whose files have the text that a test decides. */
async function open(t: Test, data: Data, textOf: (name: string, signal: AbortSignal) => Promise<FileText>): Promise<World> {
  await data.migrate('chat', migrations);
  const db = data.facade('chat');
  const models = defineModels(db);
  const [texts, rows, messages, sessions] = [
    new FileTexts(db, models),
    new FileRows(db, models),
    new Messages(db, models),
    new Sessions(db, models),
  ];
  await sessions.create({ id: 's', title: '', target_type: '', target_id: '', created_by: ada, partner: undefined, now });
  const read: string[] = [];
  const documents = {
    of: ({ name }: StoredDocument, { signal }: { signal: AbortSignal }) => {
      read.push(name);
      return textOf(name, signal);
    },
  };
  const files = { document: (file: Pick<FileRow, 'name' | 'mime_type' | 'hash'>) => ({ ...file, bytes: async () => Buffer.alloc(0) }) };
  let count = 0;
  const send = async (id: string, file: Partial<FileRow> = {}) => {
    count += 1;
    const { uploader_id = ada, ...stored } = { ...plain, name: id, bytes: 1, hash: id, ...file };
    await rows.add({ ...stored, id, uploader_id, unsent_since: now });
    const sender = { role: 'user', sender_id: ada, sender_name: '', reply_to: null, task_id: null, status: 'completed', seq: 1 } as const;
    const { name, mime_type, bytes, hash: sha256 } = stored;
    const message = { ...sender, id: `m-${id}`, session_id: 's', content: '', files: [{ id, name, mime_type, bytes, sha256 }] };
    await messages.insert({ ...message, created_at: `2026-11-20T12:00:00.${String(count).padStart(3, '0')}Z` });
    await rows.attach([id], { message_id: message.id, session_id: 's' });
    await texts.add([id], uploader_id as number);
  };
  const membership = { of: async () => ({ ids: [], room_no: 0 }) };
  const parts = { db, log: silentLog, texts, files, documents, messages, sessions, membership };
  const run = { signal: new AbortController().signal, idle: () => undefined, renew: async () => true };
  const index = new SearchIndex(db);
  const lookup = { member_id: ada, rooms: [], before: Number.MAX_SAFE_INTEGER, limit: 10 };
  return {
    texts,
    rows,
    read,
    send,
    perform: (job) => new FileReading(parts).perform(job, run),
    start: () => workerOf(t, new FileReading(parts), { data, extension: 'chat' }),
    found: (term) => index.find({ ...lookup, wanted: { exact: [term], prefixes: [] } }),
    row: async (id) => (await models.file_texts.findByPk(id, { raw: true })) ?? undefined,
  };
}

const done = (world: World, id: string) =>
  until(
    () => world.row(id),
    (row) => row === undefined || row.waiting === 0,
  );
const pages = (...texts: string[]): FileText => ({ pages: texts, outline: [], is_cut: false });

t.test('several instances read each file once, and store the beginning of its text', (t) =>
  eachDatabase(t, async (t, data) => {
    const world = await open(t, data, async (name) => pages(`first ${name}`, `second\0 ${'x'.repeat(70_000)} third`));
    const names = Array.from({ length: 12 }, (_, at) => `file${at}`);
    for (const name of names) await world.send(name);
    const processes = [world.start(), world.start()];
    await Promise.all(processes.map(({ worker }) => worker.wake()));
    for (const name of names) await done(world, name);
    t.same([...world.read].sort(), [...names].sort());
    t.match(await world.row('file3'), { text: /^first file3\nsecond\uFFFD x+$/, waiting: 0, attempts: 1 });
    t.equal((await world.row('file3'))?.text?.length, 65_536);
    t.same(await world.found('first'), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    t.same([await world.found('second'), await world.found('third')], [await world.found('first'), []]);
    await world.texts.add(['file3'], ada);
    t.match(await world.row('file3'), { waiting: 0 }, 'a file that is sent again is not read again');
  }),
);

t.test("a member's many files don't keep those of others waiting: each member has one read in turn", (t) =>
  eachDatabase(t, async (t, data) => {
    const [begun, later] = [gate(), gate()];
    const world = await open(t, data, async (name) => {
      if (name === 'a1') {
        begun.open();
        await later.passed;
      }
      return pages(name);
    });
    for (const id of ['a1', 'a2', 'a3', 'a4']) await world.send(id);
    const { worker, settled } = world.start();
    await worker.wake();
    await begun.passed;
    for (const id of ['b1', 'b2']) await world.send(id, { uploader_id: ben });
    await world.send('c1', { uploader_id: eve });
    later.open();
    await settled();
    t.same(world.read, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  }),
);

t.test('a postponed file, and those of a deleted member, change nothing in the turns of others', (t) =>
  eachDatabase(t, async (t, data) => {
    const world = await open(t, data, async (name) => pages(name));
    for (const id of ['a1', 'a2', 'a3']) await world.send(id);
    await world.texts.postpone({ id: 'a1', attempts: 0 }, 600_000, { counts: true });
    await world.send('b1', { uploader_id: ben });
    await data.facade('chat').transaction(() => world.rows.disown(ada));
    const { worker, settled } = world.start();
    await worker.wake();
    await settled();
    t.same(world.read, ['a2', 'b1', 'a3'], 'a newcomer is no earlier than the files of now');
  }),
);

t.test('files that waited before the turns were stored get a turn each', (t) =>
  eachDatabase(t, async (t, data) => {
    const turns = migrations.findIndex(({ name }) => name === '0042-file-turns');
    await data.migrate('chat', migrations.slice(0, turns));
    const db = data.facade('chat');
    const insert = `INSERT INTO chat_file_texts (id, waiting, attempts, lease_until) VALUES ($1, $2, 0, 0)`;
    for (const [id, uploader_id, waiting] of [
      ['a0', ada, 0],
      ['a1', ada, 1],
      ['a2', ada, 1],
      ['b1', ben, 1],
      ['gone', null, 1],
    ] as const) {
      await db.run(`INSERT INTO chat_files (id, uploader_id, name, mime_type, bytes, hash) VALUES ($1, $2, '', '', 1, '')`, [
        id,
        uploader_id,
      ]);
      await db.run(insert, [id, waiting]);
    }
    await data.migrate('chat', migrations);
    t.same(await db.rows('SELECT id, uploader_id, turn FROM chat_file_texts ORDER BY waiting, turn, id'), [
      { id: 'a0', uploader_id: null, turn: 0 },
      { id: 'a1', uploader_id: ada, turn: 0 },
      { id: 'b1', uploader_id: ben, turn: 0 },
      { id: 'gone', uploader_id: null, turn: 0 },
      { id: 'a2', uploader_id: ada, turn: 1 },
    ]);
  }),
);

t.test('a file without text is done: a picture without a process, another with the answer that it has none', (t) =>
  eachDatabase(t, async (t, data) => {
    const world = await open(t, data, async () => ({ reason: 'The document is damaged' }));
    await world.send('a', { mime_type: 'image/png' });
    await world.send('b', { mime_type: 'application/zip' });
    await world.send('c', { mime_type: 'application/pdf' });
    await world.start().worker.wake();
    for (const id of ['a', 'b', 'c']) {
      await done(world, id);
      t.match(await world.row(id), { text: '', waiting: 0 });
    }
    t.same(world.read, ['c']);
  }),
);

t.test('a file whose reading fails is given up after three attempts', (t) =>
  eachDatabase(t, async (t, data) => {
    const world = await open(t, data, async () => {
      throw fail('document_failed', 'The process did not start');
    });
    await world.send('a');
    for (let attempts = 1; attempts <= 3; attempts += 1) await t.rejects(world.perform({ id: 'a', attempts }), { code: 'document_failed' });
    t.match(await world.row('a'), { text: null, waiting: 1 });
    await world.perform({ id: 'a', attempts: 4 });
    t.match(await world.row('a'), { text: '', waiting: 0 });
    t.equal(world.read.length, 3);
  }),
);

t.test('a file that takes too long is read again later, while others are read, and given up after three attempts', (t) =>
  eachDatabase(t, async (t, data) => {
    const world = await open(t, data, async (name) => (name === 'a' ? { reason: 'It took too long', is_late: true } : pages('text')));
    for (const id of ['a', 'b']) await world.send(id);
    const { worker, settled } = world.start();
    await worker.wake();
    await settled();
    t.match(await world.row('a'), { text: null, waiting: 1, attempts: 1 });
    t.match(await world.row('b'), { text: 'text', waiting: 0 });
    await world.perform({ id: 'a', attempts: 3 });
    t.match(await world.row('a'), { text: '', waiting: 0 });
  }),
);

/** Reads two files, of which the first is refused with a failure. */
async function withRefusal(t: Test, data: Data, code: 'server_busy' | 'documents_not_contained'): Promise<World> {
  const world = await open(t, data, async (name) => {
    if (name === 'a') throw fail(code, 'Not now');
    return pages('text');
  });
  for (const id of ['a', 'b']) await world.send(id);
  const { worker, settled } = world.start();
  await worker.wake();
  await settled();
  t.match(await world.row('a'), { text: null, waiting: 1, attempts: 0 }, 'the attempt does not count');
  return world;
}

t.test('a file waits while too many documents are read', (t) =>
  eachDatabase(t, async (t, data) => {
    const world = await withRefusal(t, data, 'server_busy');
    t.match(await world.row('b'), { text: 'text', waiting: 0 }, 'another one is tried');
  }),
);

t.test('all files wait while documents can not be read at all', (t) =>
  eachDatabase(t, async (t, data) => {
    const world = await withRefusal(t, data, 'documents_not_contained');
    t.match(await world.row('b'), { text: null, waiting: 1, attempts: 0 });
  }),
);

t.test('a file whose process has died is read by another one, and not again if its text was stored', (t) =>
  eachDatabase(t, async (t, data) => {
    const world = await open(t, data, async (name, signal) => {
      if (world.read.length === 1)
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      return pages(`text of ${name}`);
    });
    await world.send('a');
    const first = world.start();
    await first.worker.wake();
    await until(
      () => world.read,
      ({ length }) => length === 1,
    );
    first.stop('shutdown');
    await first.settled();
    t.match(await world.row('a'), { text: null, waiting: 1, attempts: 0 });
    await world.start().worker.wake();
    await done(world, 'a');
    t.same(await world.found('text'), [1]);

    await world.send('b');
    await world.texts.store('b', 'stored before the crash');
    await world.start().worker.wake();
    await done(world, 'b');
    t.same(await world.found('crash'), [2]);
    t.same(world.read, ['a', 'a']);
  }),
);

t.test('a file that is removed while it is read leaves nothing', (t) =>
  eachDatabase(t, async (t, data) => {
    const world = await open(t, data, async () => {
      await data.facade('chat').transaction(async () => world.rows.removeUnnamed(await world.rows.detach({ message_id: 'm-a' })));
      return pages('text');
    });
    await world.send('a');
    const { worker, settled } = world.start();
    await worker.wake();
    await settled();
    t.equal(await world.row('a'), undefined);
    t.same(await world.found('text'), []);
  }),
);
