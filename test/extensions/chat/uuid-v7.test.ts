import t from 'tap';
import { uuidAt } from '../../../extensions/chat/uuid.js';

t.test('ids are unique UUIDs of version 7 that sort by time', async (t) => {
  const at = Date.parse('2030-01-02T03:04:05.678Z');
  const ids = [at, at, at + 1, at + 65_536].map(uuidAt);
  for (const id of ids) t.match(id, /^01b8[0-9a-f]{4}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.equal(new Set(ids).size, 4);
  t.same(ids.slice(1), ids.slice(1).sort());
  t.equal(Number.parseInt(ids[0]?.replace('-', '').slice(0, 12) ?? '', 16), at);
});
