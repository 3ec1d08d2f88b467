import { distance } from 'fastest-levenshtein';

/** Longer names aren't compared: the work grows with the product of the lengths. */
const max_length = 64;
const max_compared = 500;

/**
 * Returns the known name that a mistyped one most likely stands for; undefined if none is close. Case and the signs between words
 * don't count. A part of the known name that is a word of its own (`url` of `base_url`) is as good as a slip of the finger.
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

/** Undefined if the two have nothing to do with each other. */
function difference(name: string, known: string): number | undefined {
  const [given, wanted] = [wordsOf(name), wordsOf(known)];
  const [a, b] = [given.join(''), wanted.join('')];
  if (a === '' || b === '') return undefined;
  const apart = isSwapped(a, b) ? 1 : distance(a, b);
  if (apart <= Math.ceil(Math.min(a.length, b.length) / 4)) return apart;
  return holds(wanted, given) || holds(given, wanted) ? max_length + apart : undefined;
}

/** Two neighbouring letters in the wrong order are one slip, which the distance counts as two. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at + 1 < a.length && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** `maxTokens`, `max-tokens` and `MAX_TOKENS` have the same words. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Whether all words of the one stand among those of the other. */
function holds(words: readonly string[], some: readonly string[]): boolean {
  return some.length > 0 && some.every((word) => words.includes(word));
}

const max_listed = 12;

/** Returns what a message adds to an unknown name: the nearest known one, else the known ones if they are few. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  if (near !== undefined) return `Did you mean ${near}?`;
  if (known.length === 0 || known.length > max_listed) return '';
  return `Known ${known.length === 1 ? 'is' : 'are'}: ${[...known].sort().join(', ')}`;
}
