import t from 'tap';
import { readContributed } from '../../../../kernel/platform/sandbox/contributed.js';

const nothing = { operations: {}, codes: {}, listens: [], checks: [], metrics: [], topics: [], channels: [], frames: [] };
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const channel = (n: number, fields: object[] = []) => ({ name: `x.${n}`, title: 'X', fields });
const field = (n: number) => ({ name: `f${n}`, label: 'F' });

t.test('valid contributions of a plugin are accepted', (t) => {
  t.same(readContributed(nothing), nothing);
  const channels = numbers(20).map((n) => channel(n, numbers(20).map(field)));
  t.equal(readContributed({ ...nothing, channels }).channels.length, 20);
  t.equal(readContributed({ ...nothing, frames: [{ type: 'x.f', schema: { type: 'object' } }] }).frames.length, 1);
  t.end();
});

// Each of these would take Joi minutes; a test that hangs fails too.
const tooMuch: Record<string, [what: object, fault: RegExp]> = {
  channels: [{ channels: numbers(400_000).map((n) => channel(n)) }, /more than 20 channels/],
  fields: [{ channels: [channel(1, numbers(400_000).map(field))] }, /more than 20 fields/],
  listens: [{ listens: numbers(1_000_000).map(() => 'x.y') }, /more than \d+ listens/],
  operations: [{ operations: Object.fromEntries(numbers(400_000).map((n) => [`x.${n}`, {}])) }, /more than \d+ operations/],
  frames: [{ frames: [{ type: 'x.f', schema: { enum: numbers(400_000) } }] }, /more than 262144 characters/],
};

for (const [what, [more, fault]] of Object.entries(tooMuch)) {
  t.test(`too many ${what} are rejected before each is checked`, (t) => {
    t.throws(() => readContributed({ ...nothing, ...more }), { message: fault });
    t.end();
  });
}

t.test('contributions that are not a list are rejected', (t) => {
  for (const value of [undefined, null, 'x', 7, [], { ...nothing, channels: {} }, { ...nothing, channels: [null] }])
    t.throws(() => readContributed(value), { message: /contributions are invalid/ });
  t.end();
});
