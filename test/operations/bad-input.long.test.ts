import t, { type Test } from 'tap';
import { freshPostgres } from '../helpers/databases.js';
import { skipWithout } from '../helpers/parts.js';
import type { Kind } from './bad-input/kind.js';
import { addressKinds } from './bad-input/kinds/addresses.js';
import { bodyKinds, framingKinds } from './bad-input/kinds/bodies.js';
import { absentKinds, fieldKinds, otherKinds } from './bad-input/kinds/fields.js';
import { headKinds, keyKinds } from './bad-input/kinds/heads.js';
import { tokenKinds } from './bad-input/kinds/tokens.js';
import { difference } from './bad-input/rows.js';
import type { Subject } from './bad-input/subject.js';
import { faultsOf } from './bad-input/verdict.js';
import { render } from './bad-input/wire.js';
import { World } from './bad-input/world.js';

/** Those of which a database sees something; the others are refused before it is asked. */
const stored: readonly Kind[] = [...keyKinds, ...otherKinds, ...absentKinds];
const kinds: readonly Kind[] = [...tokenKinds, ...addressKinds, ...headKinds, ...bodyKinds, ...framingKinds, ...fieldKinds, ...stored];

interface Range {
  database_url?: string;
  kinds: readonly Kind[];
  /** An operation to which fewer kinds apply is not well covered. */
  fewest: number;
}

t.test('sqlite', (t) => refusesAll(t, { kinds, fewest: 15 }));
t.test('postgres', { skip: skipWithout('postgres') }, async (t) => {
  await refusesAll(t, { database_url: await freshPostgres(), kinds: stored, fewest: 0 });
});

/** Every operation answers every kind of bad request with its own code, and changes no row. */
async function refusesAll(t: Test, { database_url, ...range }: Range): Promise<void> {
  const world = await World.start(t, { database_url });
  t.ok(world.subjects.length > 0, 'there are operations');
  for (const subject of world.subjects) await t.test(subject.id, (t) => refuses(t, subject, { world, ...range }));
}

async function refuses(t: Test, subject: Subject, { world, kinds, fewest }: Omit<Range, 'database_url'> & { world: World }): Promise<void> {
  const before = await world.rows();
  let applied = 0;
  const faults: Record<string, unknown> = {};
  for (const kind of kinds) {
    const bads = kind.of(subject, world);
    if (bads.length === 0) continue;
    applied += 1;
    const found = await faultsOf(bads, world);
    if (found.length > 0) faults[kind.name] = found;
  }
  // One assertion for them all: so many of their own cost more than the requests.
  t.same(faults, {});
  t.ok(applied >= fewest, `${applied} kinds of bad request apply to ${subject.id}, and at least ${fewest} must`);
  t.same(difference(before, await world.rows()), [], 'no row has changed');
  t.same(world.faults(), [], 'nothing was logged as an error');
  t.equal((await world.send(goodRequest(world))).status, 200, 'a good request is answered as before');
}

function goodRequest({ url, side }: World) {
  const headers = { host: new URL(url).host, authorization: `Bearer ${side.tokens.get('ada')}` };
  return render({ method: 'GET', target: '/api/auth/me', headers });
}
