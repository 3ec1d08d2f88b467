import t from 'tap';
import { migrations } from '../../../../extensions/chat/migrations/index.js';
import { defineModels } from '../../../../extensions/chat/models.js';
import { type Ending, Messages, type NewMessage, page_bytes } from '../../../../extensions/chat/store/messages-sql.js';
import type { Database } from '../../../../kernel/contract/index.js';
import { eachDatabase } from '../../../helpers/databases.js';

const common = { sender_id: 1, sender_name: 'Ada', content: '', reply_to: null, task_id: null, seq: 0 } as const;
const message = (id: string): NewMessage => {
  return { ...common, id, session_id: id, role: 'assistant', status: 'streaming', created_at: '2026-11-20T12:00:00.000Z' };
};

const messagesIn = (db: Database) => new Messages(db, defineModels(db));

t.test('messages stored together are numbered like those stored one by one', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const messages = messagesIn(data.facade('chat'));
    const { no: first } = await messages.insert(message('a'));
    const several = await messages.insertAll(['d', 'c', 'b'].map(message));
    t.same(
      several.map(({ message: { id }, no }) => [id, no]),
      [
        ['d', first + 1],
        ['c', first + 2],
        ['b', first + 3],
      ],
    );
    t.equal((await messages.insert(message('e'))).no, first + 4);
    t.same(await messages.insertAll([]), []);
  });
});

const at = (second: number): string => new Date(Date.UTC(2026, 10, 20, 12, 0, second)).toISOString();

/** Stores a session's messages that have these texts and tool calls, a second apart; gives their ids. */
async function conversation(messages: Messages, texts: readonly { content: string; tool_calls?: object[] }[]): Promise<string[]> {
  const ids = texts.map((_text, place) => `m${place}`);
  await messages.insertAll(ids.map((id, place) => ({ ...message(id), session_id: 's', created_at: at(place) })));
  const whole = { seq: 2, usage: null, status: 'completed', error: null, notices: [] } as const;
  const endings = texts.map(({ content, tool_calls = [] }, place): Ending => {
    return { ...whole, id: `m${place}`, content, tool_calls: JSON.stringify(tool_calls) };
  });
  await messages.finish(endings, at(60));
  return ids;
}

t.test('the history of a long conversation has the latest part complete and earlier texts shortened', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const messages = messagesIn(data.facade('chat'));
    const used = { output: 'o'.repeat(250_000) };
    const [long, large] = [`${'é'.repeat(1_000)}${'x'.repeat(600_000)}${'ü'.repeat(400)}`, 'y'.repeat(700_000)];
    const ids = await conversation(messages, [
      { content: 'asked'.repeat(1_000) },
      { content: 'z'.repeat(1_400), tool_calls: [used] },
      { content: long, tool_calls: [used] },
      { content: large, tool_calls: [used] },
      { content: 'Latest' },
    ]);
    const told = await messages.history('s', { asked: 'm0', limit: 10 });
    t.same(
      told.map(({ id }) => id),
      ids,
      'the messages are oldest first',
    );
    t.same(
      told.map(({ content }) => content),
      [
        'asked'.repeat(1_000),
        'z'.repeat(1_400),
        `${'é'.repeat(1_000)}\n[… 600000 characters are left out here …]\n${'ü'.repeat(400)}`,
        large,
        'Latest',
      ],
      'the latest and short texts are complete',
    );
    t.same(
      told.map(({ tool_calls }) => tool_calls),
      [[], [], [], [used], []],
    );
    t.same(
      (await messages.history('s', { asked: 'm0', limit: 2 })).map(({ id }) => id),
      ['m3', 'm4'],
    );
    t.match(await messages.find('m2'), { message: { content: long, tool_calls: [used] } }, 'the stored texts are unchanged');
  });
});

t.test('a page of large messages is shorter, and paging on from its oldest skips nothing', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const messages = messagesIn(data.facade('chat'));
    const third = { content: 'é'.repeat(page_bytes / 8), tool_calls: [{ output: 'o'.repeat(page_bytes / 4) }] };
    const huge = { content: 'h'.repeat(2 * page_bytes) };
    const ids = await conversation(messages, [{ content: 'First' }, third, huge, third, third, { content: 'Last' }]);
    const pages: string[][] = [];
    for (let before: string | undefined; ; ) {
      const page = await messages.page('s', { before, limit: 5 });
      if (page.length === 0) break;
      pages.unshift(page.map(({ id }) => id));
      before = page[0]?.created_at;
    }
    t.same(pages, [['m0', 'm1'], ['m2'], ['m3', 'm4', 'm5']]);
    t.same(await messages.latest('s', 4), ids.slice(2));
    t.same(
      (await messages.page('s', { limit: 1 })).map(({ id }) => id),
      ['m5'],
    );
  });
});

t.test('the latest messages include replies in progress', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const messages = messagesIn(data.facade('chat'));
    await conversation(messages, [{ content: 'One' }, { content: 'Two' }]);
    const streaming = (id: string, second: number): NewMessage => ({ ...message(id), session_id: 's', created_at: at(second) });
    await messages.insertAll([
      streaming('old', -1),
      streaming('first', 2),
      streaming('second', 3),
      { ...streaming('other', 4), session_id: 'o' },
    ]);
    const underWay = async (limit: number) => (await messages.inProgress('s', limit)).map(({ message: { id } }) => id);
    t.same(await underWay(4), ['first', 'second']);
    t.same(await underWay(1), ['second']);
    t.same(await underWay(20), ['old', 'first', 'second']);
  });
});
