import t from 'tap';
import { images, startDocker } from '../../helpers/docker/engine.js';
import { skipWithout } from '../../helpers/parts.js';
import { withoutTerminal } from '../shell.js';
import { makeScene } from './scene.js';
import { judge, linesOf, tellAll } from './stories.js';

const skip = skipWithout('docker', 'registry') || withoutTerminal;

t.test('each node command has the same output over every transport, on a real engine', { skip, timeout: 240_000 }, async (t) => {
  const { url } = await startDocker(t);
  const scene = await makeScene(t, { url, image: images.busybox });
  const lines = await linesOf(scene, ({ needs }) => needs === 'docker');
  // One after the other: all are copies of one platform, so their nodes have one name on the engine.
  const pipe = await tellAll(t, scene, { medium: 'pipe', lines });
  const terminal = await tellAll(t, scene, { medium: 'terminal', lines });
  for (const line of lines) await judge(t, line, { pipe, terminal });
});
