import t from 'tap';
import { migration as chat } from '../../../../extensions/chat/migrations/0001-chat.js';
import { migration as search } from '../../../../extensions/chat/migrations/0010-search.js';
import { type Ending, Messages, type NewMessage } from '../../../../extensions/chat/store/messages.js';
import { eachDatabase } from '../../../helpers/databases.js';

const common = { sender_id: 1, sender_name: 'Ada', content: '', reply_to: null, task_id: null, seq: 0 } as const;
const message = (id: string): NewMessage => {
  return { ...common, id, session_id: id, role: 'assistant', status: 'streaming', created_at: '2026-11-20T12:00:00.000Z' };
};

t.test('messages that are stored together are numbered as those that are stored one by one', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', [chat, search]);
    const messages = new Messages(data.facade('chat'));
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
  const whole = { seq: 2, usage: null, status: 'completed', error: null } as const;
  const endings = texts.map(({ content, tool_calls = [] }, place): Ending => {
    return { ...whole, id: `m${place}`, content, tool_calls: JSON.stringify(tool_calls) };
  });
  await messages.finish(endings, at(60));
  return ids;
}

t.test('of a long conversation the latest part is told whole, and of what is before the ends of the texts', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', [chat, search]);
    const messages = new Messages(data.facade('chat'));
    const used = { output: 'o'.repeat(250_000) };
    const [long, large] = [`${'é'.repeat(1_000)}${'x'.repeat(600_000)}${'ü'.repeat(400)}`, 'y'.repeat(700_000)];
    const ids = await conversation(messages, [
      { content: 'asked'.repeat(1_000) },
      { content: 'z'.repeat(1_400), tool_calls: [used] },
      { content: long, tool_calls: [used] },
      { content: large, tool_calls: [used] },
      { content: 'Latest' },
    ]);
    const told = await messages.told('s', { asked: 'm0', limit: 10 });
    t.same(
      told.map(({ id }) => id),
      ids,
      'the oldest first',
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
      'what is asked and what is short are whole',
    );
    t.same(
      told.map(({ tool_calls }) => tool_calls),
      [[], [], [], [used], []],
    );
    t.same(
      (await messages.told('s', { asked: 'm0', limit: 2 })).map(({ id }) => id),
      ['m3', 'm4'],
    );
    t.match(await messages.find('m2'), { message: { content: long, tool_calls: [used] } }, 'what is stored stays');
  });
});
