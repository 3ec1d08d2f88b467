import t from 'tap';
import { commonBeginning, completeMention } from '../../../kernel/client/mention-completion.js';

const members = ['grace', 'Greg', 'ben', 'not a name'].map((username) => ({ username }));

t.test('a name is completed in any case, as a word of its own', async (t) => {
  const complete = (before: string, isOwner = false) => completeMention(before, { members, isOwner });
  t.same(complete('Hello @GRA'), { word: '@GRA', matches: ['@grace '], more: 0 });
  t.same(complete('@gr').matches, ['@Greg ', '@grace ']);
  t.same(complete('@').matches, ['@Greg ', '@ben ', '@grace ']);
  t.same(complete('你好@gr').matches, complete('@gr').matches);
  for (const before of ['', 'Hello', 'grace', 'me@gr', 'https://example.org/@gr', '@grace ']) t.same(complete(before).word, '', before);
  t.same(complete('@x'), { word: '@x', matches: [], more: 0 });
});

t.test('only owners are offered @room', async (t) => {
  t.same(completeMention('@ro', { members, isOwner: true }).matches, ['@room ']);
  t.same(completeMention('@ro', { members, isOwner: false }).matches, []);
});

t.test('a room of thousands offers a few names and counts the others', async (t) => {
  const many = Array.from({ length: 5_000 }, (_one, index) => ({ username: `user-${index}` }));
  const { matches, more } = completeMention('@us', { members: many, isOwner: false });
  t.same([matches.length, more], [20, 4_980]);
});

t.test('the common beginning of names ignores their case', async (t) => {
  t.equal(commonBeginning(['@Greg ', '@grace ']), '@Gr');
  t.equal(commonBeginning(['@ben ']), '@ben ');
  t.equal(commonBeginning([]), '');
});
