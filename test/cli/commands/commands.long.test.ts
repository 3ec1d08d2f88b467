import t from 'tap';
import { withoutTerminal } from '../shell.js';
import { addBundle, makeScene } from './scene.js';
import { judge, linesOf, tellAll } from './stories.js';

t.test(
  'each command has the same output over every transport, in a pipe and on a terminal',
  { skip: withoutTerminal, timeout: 240_000 },
  async (t) => {
    const scene = await makeScene(t);
    await addBundle(scene);
    const lines = await linesOf(scene, ({ needs, elsewhere }) => needs === undefined && elsewhere === undefined);
    const [pipe, terminal] = await Promise.all([
      tellAll(t, scene, { medium: 'pipe', lines }),
      tellAll(t, scene, { medium: 'terminal', lines }),
    ]);
    for (const line of lines) await judge(t, line, { pipe, terminal });
  },
);
