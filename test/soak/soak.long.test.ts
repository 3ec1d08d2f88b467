import t from 'tap';
import { soak } from './soak.js';

const leaked = /^no .* leaked$/;

t.test('a short soak leaves nothing, and a planted leak is found', async (t) => {
  const told: string[] = [];
  const [clean, leaking] = await Promise.all([
    soak({ minutes: 0.1, leaks: false, tell: (line) => void told.push(line) }),
    soak({ minutes: 0.02, leaks: true, tell: () => undefined }),
  ]);
  t.same(
    clean.filter(({ what, isKept }) => (what === 'the load' || leaked.test(what)) && !isKept),
    [],
    told.join('\n'),
  );
  t.equal(told.filter((line) => / min: memory/.test(line)).length, 4);
  const missed = leaking.filter(({ what, isKept }) => leaked.test(what) && !isKept).map(({ what }) => what);
  t.same(missed, ['no handles leaked', 'no listeners leaked']);
});
