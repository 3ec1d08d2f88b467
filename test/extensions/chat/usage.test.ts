import t from 'tap';
import { migration as chat } from '../../../extensions/chat/migrations/0001-chat.js';
import { migration as usage } from '../../../extensions/chat/migrations/0022-usage.js';
import { defineModels } from '../../../extensions/chat/models.js';
import { UsageRows } from '../../../extensions/chat/store/usage-sql.js';
import { Usage } from '../../../extensions/chat/usage.js';
import { openBlobs } from '../../../kernel/platform/data/blobs.js';
import { eachDatabase, silentLog, systemClock } from '../../helpers/databases.js';

t.test("an upgraded installation starts with its members' existing usage", (t) =>
  eachDatabase(t, async (t, data, { data_dir }) => {
    await data.migrate('chat', [chat]);
    const db = data.facade('chat');
    const blobs = openBlobs(data, { data_dir, clock: systemClock, log: silentLog }).of('chat');
    const [small, large] = [await blobs.put(Buffer.alloc(100)), await blobs.put(Buffer.alloc(2_000))];
    const image = (hash: string) => ({
      url: `/api/chat/images/${hash.slice('sha256:'.length)}`,
      mime_type: 'image/gif',
      name: 'é "quoted"',
    });
    const messages = [
      { role: 'user', sender_id: 7, content: 'grüße', images: [image(small), image(large), image(small)] },
      { role: 'user', sender_id: 7, content: 'again', images: [] },
      { role: 'user', sender_id: 8, content: '', images: [image(large), image(`sha256:${'0'.repeat(64)}`)] },
      { role: 'user', sender_id: null, content: 'by nobody', images: [] },
      { role: 'assistant', sender_id: 2, content: 'an answer', images: [] },
    ];
    for (const [at, { role, sender_id, content, images }] of messages.entries())
      await db.run(
        `INSERT INTO chat_messages (id, session_id, role, sender_id, sender_name, content, images, status, tool_calls, seq, created_at, updated_at)
         VALUES ($1, 's', $2, $3, '', $4, $5, 'completed', '[]', 1, $1, $1)`,
        [`m${at}`, role, sender_id, content, JSON.stringify(images)],
      );
    await data.migrate('chat', [chat, usage]);
    const rows = await db.rows<{ member_id: number; bytes: number | string }>('SELECT member_id, bytes FROM chat_usage ORDER BY member_id');
    t.same(
      rows.map(({ member_id, bytes }) => [member_id, Number(bytes)]),
      [
        [7, 7 + 2_200 + 5],
        [8, 2_000],
      ],
    );
    const found = new UsageRows(db, defineModels(db));
    t.same([...(await found.inSessions(['s', 'none']))].sort(), [
      [7, 2_212],
      [8, 2_000],
    ]);
    await found.subtract(await found.inSessions(['s']));
    t.same([await found.of(7), await found.of(8), await found.of(9)], [0, 0, 0]);
    await found.add(7, 10);
    await found.subtract(new Map([[7, 11]]));
    t.equal(await found.of(7), 0, 'a total never falls below 0');
  }),
);

t.test('images of a message that is never sent count for an hour', (t) =>
  eachDatabase(t, async (t, data) => {
    await data.migrate('chat', [chat, usage]);
    const db = data.facade('chat');
    let now = Date.parse('2026-11-20T12:00:00Z');
    const clock = { now: () => now, iso: () => new Date(now).toISOString() };
    const counted = new Usage({ rows: new UsageRows(db, defineModels(db)), db, clock, quota_bytes: 1_000 });
    const images = (bytes: number) => [Buffer.alloc(bytes)];
    const sent = await counted.reserve(7, images(400));
    await counted.reserve(7, images(600));
    await counted.reserve(7, images(600));
    await t.rejects(counted.reserve(7, images(1)), { code: 'quota_exceeded', status: 413 });
    t.same(await counted.of(7), { bytes: 1_000, quota_bytes: 1_000 });
    await db.transaction(() => counted.confirm(sent));
    now += 3_599_000;
    t.equal(await counted.cleaner.clean(), 0);
    const later = await counted.reserve(8, images(5));
    now += 2_000;
    t.equal(await counted.cleaner.clean(), 1);
    t.match([await counted.of(7), await counted.of(8)], [{ bytes: 400 }, { bytes: 5 }]);
    now += 3_600_000;
    t.equal(await counted.cleaner.clean(), 1);
    t.match(await counted.of(8), { bytes: 0 });
    await db.transaction(() => counted.confirm(later));
    t.match(await counted.of(8), { bytes: 5 }, 'an image counts again if its message is sent after all');
    const failed = await counted.reserve(8, images(400));
    await counted.cancel(failed);
    await counted.cancel(failed);
    t.match(await counted.of(8), { bytes: 5 }, 'images that could not be stored do not count');
    const [one, other] = [await counted.reserve(8, images(600)), await counted.reserve(8, images(600))];
    await db.transaction(() => counted.confirm(one));
    await t.rejects(
      db.transaction(() => counted.confirm(other)),
      { code: 'quota_exceeded' },
      'two messages with the same images count twice',
    );
    t.match(await counted.of(8), { bytes: 605 });
  }),
);
