import { setImmediate as nextTurn } from 'node:timers/promises';
import { fail } from './codes.js';
import { readItem } from './item.js';
import { max_index_items } from './limits.js';
import { type Listed, Listing } from './listing.js';

/** Matches the name of a file beside the index: nothing that a file system or a URL would read as a path, a query or an escape. */
const plainName = /^[^/\\:?#%\p{Cc}]{1,200}$/u;

/**
 * Validates the content of an `index.json`: `{"platform_index": 1, "items": [{…, "file": "name.zip"}]}`.
 *
 * @param name the source's, for messages
 * @throws `source_invalid`, with the position of the invalid item
 */
export async function readIndex(index: unknown, name: string): Promise<Listing> {
  const { platform_index, items } = (index ?? {}) as { platform_index?: unknown; items?: unknown };
  if (platform_index !== 1 || !Array.isArray(items)) {
    throw fail(
      'source_invalid',
      `The index of ${name} is not in this platform's format: create one with: platform extension index <folder>`,
    );
  }
  if (items.length > max_index_items) throw fail('source_invalid', `The index of ${name} lists more than ${max_index_items} versions`);
  const listed: Listed[] = [];
  for (const [position, item] of items.entries()) {
    // Yield regularly, so that a long list doesn't block the event loop.
    if (position % 500 === 499) await nextTurn();
    listed.push(readListed(item, `Item ${position} in the index of ${name}`));
  }
  assertDistinct(listed, name);
  return new Listing(listed);
}

function readListed(value: unknown, place: string): Listed {
  const item = readItem(value, place);
  const { file } = value as { file?: unknown };
  if (typeof file === 'string' && plainName.test(file) && file !== '.' && file !== '..') return { item, file };
  throw fail('source_invalid', `${place} has a file that is not a plain name`);
}

/** Fails if a version is listed twice. */
function assertDistinct(listed: readonly Listed[], name: string): void {
  const seen = new Set<string>();
  for (const { item } of listed) {
    const key = `${item.id} ${item.version}`;
    if (seen.has(key)) throw fail('source_invalid', `The index of ${name} lists ${key} twice`);
    seen.add(key);
  }
}
