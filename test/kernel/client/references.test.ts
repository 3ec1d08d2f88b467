import t from 'tap';
import { type Ask, idOf, namesOf } from '../../../kernel/client/references.js';

const uuid = (n: number) => `019f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Answers from lists of a length, a page at a time, as the operations do. */
function asking(length: number): { ask: Ask; pages: () => number } {
  let pages = 0;
  const ask: Ask = async (operation, input) => {
    pages += 1;
    const { limit = 20, offset = 0 } = input as { limit?: number; offset?: number };
    const rows = Array.from({ length: Math.max(0, Math.min(limit, length - offset)) }, (_row, index) => {
      const n = offset + index + 1;
      const of = { member_name: 'Otto', status: 'running', task_id: uuid(n) };
      return operation === 'runs.list' ? of : { id: operation === 'approvals.list' ? uuid(n) : n, name: `record-${n}`, status: 'online' };
    });
    return operation === 'runs.list' || operation === 'approvals.list' ? rows : { items: rows, total: length };
  };
  return { ask, pages: () => pages };
}

for (const kind of ['node', 'schedule'] as const)
  t.test(`a ${kind} far behind the first page is found by name`, async (t) => {
    const { ask } = asking(450);
    t.equal(await idOf(kind, 'record-449', ask), 449);
    await t.rejects(idOf(kind, 'record-451', ask), { code: `${kind}_not_found` });
  });

for (const kind of ['run', 'approval'] as const)
  t.test(`the id of a ${kind} far behind the first page is found by its last characters`, async (t) => {
    const { ask } = asking(450);
    t.equal(await idOf(kind, '000000000449', ask), uuid(449));
    await t.rejects(idOf(kind, '019f0000', ask), { code: 'reference_ambiguous' }, 'all ids begin in the same way');
  });

t.test('a search in a list that is too long stops and reports so', async (t) => {
  const { ask, pages } = asking(1_000_000);
  await t.rejects(idOf('node', 'record-3', ask), { code: 'invalid_input', message: /more than 10000 records.*full id/ });
  t.equal(pages(), 50);
});

/** Answers with rooms, each with its number as the end of its id. */
function withRooms(...titles: string[]): Ask {
  return async (operation, input) => {
    const rows = titles.map((title, index) => ({ id: uuid(index + 1), title, topic: '' }));
    if (operation === 'rooms.list') return { items: rows, total: rows.length };
    if (operation === 'sessions.list') return rows;
    const { part } = input as { part: string };
    return rows.filter(({ id }) => id.endsWith(part) || id.startsWith(part)).map(({ id, title }) => ({ id, about: title }));
  };
}

t.test('a room is found by its title, a unique beginning of it, or a part of its id', async (t) => {
  const ask = withRooms('Launch', 'Launch party', 'Spring plans', 'feed', 'x');
  for (const [text, n] of [
    ['launch', 1],
    ['Launch p', 2],
    ['@spring', 3],
    ['000000000002', 2],
    ['feed', 4],
    ['x', 5],
  ] as const)
    t.equal(await idOf('session', text, ask), uuid(n), text);
  for (const [text, n] of [
    ['LAUNCH', 1],
    ['spring plans', 3],
    ['000000000002', 2],
  ] as const)
    t.equal(await idOf('open room', text, ask), uuid(n), text);
});

t.test('an ambiguous title lists the rooms, and an unknown one those with similar titles', async (t) => {
  const ask = withRooms('Launch', 'Launch', 'Spring plans', 'Spring party');
  await t.rejects(idOf('session', 'launch', ask), { code: 'reference_ambiguous', message: /Launch \(.*Use the id/ });
  await t.rejects(idOf('session', 'spring', ask), { code: 'reference_ambiguous', message: /Spring plans.*Spring party/ });
  await t.rejects(idOf('session', 'Lanch', ask), { code: 'session_not_found', message: /Did you mean Launch\?/ });
  await t.rejects(idOf('session', 'Springs in Rome', ask), { message: "There is no session 'Springs in Rome'" });
  await t.rejects(idOf('session', 'plasn', ask), { message: /Did you mean Spring plans \(\S+\)\?$/ });
  await t.rejects(idOf('open room', 'Nothing', withRooms()), { code: 'session_not_found', message: "There is no open room 'Nothing'" });
});

t.test('names are offered by their beginning', async (t) => {
  const ask = withRooms('Launch', 'Launch party', 'Spring plans', '2027');
  const names = async (kind: 'session' | 'open room' | 'message', text: string) => (await namesOf(kind, text, ask)).map(({ name }) => name);
  t.same(await names('session', 'La'), ['Launch', 'Launch party']);
  t.same(await names('open room', 'S'), ['Spring plans']);
  t.same(await names('session', ''), ['Launch', 'Launch party', 'Spring plans', '@2027'], 'digits alone are an id');
  t.same(await names('session', '@L'), ['@Launch', '@Launch party']);
  t.same(await names('message', 'La'), [], 'a message has no name');
  t.same(await names('session', 'la'), []);
  t.match(await namesOf('session', 'la', ask, { any_case: true }), [{ name: 'Launch' }, { name: 'Launch party' }]);
});
