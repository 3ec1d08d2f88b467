import { distance } from 'fastest-levenshtein';

/** Limit of a compared name's length, because the work grows with the product of the lengths; and limit of compared names. */
const max_length = 64;
const max_compared = 500;

/**
 * Returns the known name that a mistyped one most likely means; undefined if none is similar. Ignores case and the separators of words. A
 * name that consists of some words of the other (`url` of `base_url`) also counts as similar.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > max_length) return undefined;
  let best: { name: string; score: number } | undefined;
  let compared = 0;
  for (const one of known) {
    if (one.length > max_length) continue;
    compared += 1;
    if (compared > max_compared) break;
    const score = difference(name, one);
    if (score !== undefined && (best === undefined || score < best.score)) best = { name: one, score };
  }
  return best?.name;
}

/** Returns how much two names differ; undefined if they aren't similar. */
function difference(name: string, known: string): number | undefined {
  const [given, wanted] = [wordsOf(name), wordsOf(known)];
  const [a, b] = [given.join(''), wanted.join('')];
  if (a === '' || b === '') return undefined;
  const apart = isSwapped(a, b) ? 1 : distance(a, b);
  if (apart <= Math.ceil(Math.min(a.length, b.length) / 4)) return apart;
  return holds(wanted, given) || holds(given, wanted) ? max_length + apart : undefined;
}

/** Returns whether two names differ by one pair of swapped letters. It counts as one mistake; the distance would be two. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at + 1 < a.length && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** Returns the words of a name in lower case: `maxTokens`, `max-tokens` and `MAX_TOKENS` have the same. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Returns whether a name's words include all of some others. */
function holds(words: readonly string[], some: readonly string[]): boolean {
  return some.length > 0 && some.every((word) => words.includes(word));
}

const max_listed = 12;

/** Returns a hint for the message about an unknown name: the nearest known one, or all known ones if they are few; may be empty. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  if (near !== undefined) return `Did you mean ${near}?`;
  if (known.length === 0 || known.length > max_listed) return '';
  return `Known ${known.length === 1 ? 'is' : 'are'}: ${[...known].sort().join(', ')}`;
}
