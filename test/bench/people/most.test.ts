import t from 'tap';
import { most, type Steps } from './most.js';

async function searched(limit: number, steps: Steps): Promise<{ measured: number[]; people: number; kept?: number; broken?: number }> {
  const measured: number[] = [];
  const measure = async (people: number) => {
    measured.push(people);
    return { isKept: people <= limit, found: people };
  };
  const { people, kept, broken } = await most(measure, steps);
  return { measured, people, ...(kept !== undefined && { kept }), ...(broken !== undefined && { broken }) };
}

t.test('the number of people doubles until it breaks, then the gap is halved', async (t) => {
  const found = await searched(6_500, { first: 1_000, max: 16_000, halvings: 2 });
  t.strictSame(found, { measured: [1_000, 2_000, 4_000, 8_000, 6_000, 7_000], people: 6_000, kept: 6_000, broken: 7_000 });
});

t.test('the search ends at the maximum if nothing breaks', async (t) => {
  const found = await searched(20_000, { first: 1_000, max: 3_000, halvings: 2 });
  t.strictSame(found, { measured: [1_000, 2_000, 3_000], people: 3_000, kept: 3_000 });
});

t.test('a first number that breaks is halved too', async (t) => {
  const found = await searched(300, { first: 1_000, max: 16_000, halvings: 2 });
  t.strictSame(found, { measured: [1_000, 500, 250], people: 250, kept: 250, broken: 500 });
});
