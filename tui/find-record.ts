import { type Ask, describeId, idOf } from '../kernel/client/references.js';
import { failures, isFailure } from '../kernel/contract/failure.js';
import type { ReferenceKind } from '../kernel/contract/manifest.js';
import type { Opened } from './kit/panel.js';

const fail = failures({ reference_ambiguous: 409 });

/**
 * Finds the record of some kinds that a name, an id or a part of an id stands for. Digits alone are an id of the first kind.
 *
 * @throws what `idOf` throws; `reference_ambiguous`, with all that it may mean
 */
export async function findRecord(kinds: readonly ReferenceKind[], text: string, ask: Ask): Promise<Opened> {
  const among = /^\d+$/.test(text) ? kinds.slice(0, 1) : kinds;
  const found: Opened[] = [];
  const missed: unknown[] = [];
  for (const kind of among) {
    try {
      found.push({ kind, id: await idOf(kind, text, ask) });
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
      missed.push(thrown);
    }
  }
  const [only, ...others] = found;
  if (only === undefined) throw missed[0];
  if (others.length === 0) return only;
  const names = await Promise.all(found.map(async ({ kind, id }) => `${await describeId(kind, id, ask)} (${id})`));
  throw fail('reference_ambiguous', `'${text}' may be any of these: ${names.join(', ')}. Write the id`);
}

/** Whether no record of this kind was found: the text may stand for one of another kind. */
function isMissing(thrown: unknown): boolean {
  return isFailure(thrown) && (thrown.status === 404 || thrown.code === 'invalid_input');
}
