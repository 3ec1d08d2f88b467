import t from 'tap';
import { importWeb } from '../../helpers/web.js';

interface Align {
  alignSeries: (series: readonly { label: string; points: readonly (readonly [number, number | null])[] }[]) => unknown;
}

t.test('series with times of their own share one axis in order of time', async (t) => {
  const { alignSeries } = await importWeb<Align>('kit/charts/align.ts');
  const aligned = alignSeries([
    {
      label: 'a',
      points: [
        [1_000, 1],
        [3_000, null],
      ],
    },
    {
      label: 'b',
      points: [
        [2_000, 5],
        [1_000, 4],
      ],
    },
  ]);
  t.strictSame(aligned, [
    [1, 2, 3],
    [1, undefined, null],
    [4, 5, undefined],
  ]);
  t.strictSame(alignSeries([]), [[]]);
});
