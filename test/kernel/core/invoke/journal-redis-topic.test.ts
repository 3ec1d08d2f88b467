import t from 'tap';
import { RedisTopic } from '../../../../kernel/platform/journal/redis-topic.js';

/** A topic whose reads are answered by the test, in its own time. */
function setup() {
  const answers: ((answer: unknown) => void)[] = [];
  const topic = new RedisTopic({
    topic: 'topic',
    subscribe: async () => () => {},
    fetch: () => new Promise((resolve) => answers.push(resolve)),
    decode: (json) => JSON.parse(json) as object,
    onUnwatched: () => {},
  });
  return { topic, answers };
}

const at = { epoch: 'e', n: 0 };
const entry = ['e', 1, 1, 0, 1, 'note', '{}'];

t.test('readers at one position share a read and its entries', async (t) => {
  const { topic, answers } = setup();
  const reads = [topic.read(at), topic.read({ ...at }), topic.read({ ...at, n: 1 })];
  t.equal(answers.length, 2);
  for (const answer of answers) answer(entry);
  const [one, two] = await Promise.all(reads);
  t.equal(one, two);
});

t.test('a read that began before an append is not shared with readers who know of the append', async (t) => {
  const { topic, answers } = setup();
  const before = topic.read(at);
  topic.wake();
  const after = topic.read(at);
  t.equal(answers.length, 2);
  answers[1]?.(entry);
  t.same((await after).entries, [{ cursor: 'topic.e.1', type: 'note', data: {} }]);
  answers[0]?.(['e', 1, 0, 0]);
  t.same((await before).entries, []);
});
