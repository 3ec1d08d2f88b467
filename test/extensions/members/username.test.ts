import t from 'tap';
import { freeUsername, isUsername, usernameFrom } from '../../../extensions/members/username.js';

t.test("a user name is derived from a name's letters", async (t) => {
  const names = {
    'Ada Lovelace': 'ada-lovelace',
    '  Zoë  Ångström ': 'zoe-angstrom',
    'R2-D2 (v1.0)': 'r2-d2-v1.0',
    '小明 Bot': 'bot',
    小明: undefined,
    '!': undefined,
    x: undefined,
    [`${'long '.repeat(20)}`]: 'long-long-long-long-long-long-long-long-long-long-long-l',
  };
  for (const [name, username] of Object.entries(names)) t.equal(usernameFrom(name), username, name);
});

t.test('chooses the first free username', async (t) => {
  t.equal(freeUsername('ada', new Set()), 'ada');
  t.equal(freeUsername('ada', new Set(['ada', 'ada-2', 'ada-4'])), 'ada-3');
  t.equal(freeUsername(undefined, new Set(['employee-1'])), 'employee-2');
});

t.test('the longest username with a number is still valid', async (t) => {
  const base = usernameFrom('x'.repeat(64));
  const taken = new Set(Array.from({ length: 9_999 }, (_, n) => (n === 0 ? `${base}` : `${base}-${n + 1}`)));
  t.ok(isUsername(freeUsername(base, taken)));
});
