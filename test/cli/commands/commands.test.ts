import t from 'tap';
import { withoutTerminal } from '../shell.js';
import { makeScene } from './scene.js';
import { judge, linesOf, tellAll } from './stories.js';

/** One of each kind: a list, a record, a question, a secret, a stream, a failure. */
const some = ['member list', 'member get', 'member create', 'member delete', 'chat send', 'chat tell'];

t.test('some commands have the same output over every transport, in a pipe and on a terminal', { skip: withoutTerminal }, async (t) => {
  const scene = await makeScene(t);
  const lines = (await linesOf(scene, () => true)).filter(({ leaf }) => some.includes(leaf.name));
  t.equal(lines.length, some.length);
  const [pipe, terminal] = await Promise.all([
    tellAll(t, scene, { medium: 'pipe', lines }),
    tellAll(t, scene, { medium: 'terminal', lines }),
  ]);
  for (const line of lines) await judge(t, line, { pipe, terminal });
});
