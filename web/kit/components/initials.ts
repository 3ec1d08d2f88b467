const han = /\p{Script=Han}/u;

/** Returns at most `max` letters of a name: the first ones of its words, or the last ones of a Chinese name, which tell people apart. */
export function initialsOf(name: string, max: 1 | 2): string {
  const letters = Array.from(name).filter((letter) => han.test(letter));
  if (letters.length > 0) return letters.slice(-max).join('');
  const words = name.split(/[\s._-]+/u).filter(Boolean);
  const first = Array.from(words[0] ?? '?')[0] ?? '?';
  const last = words.length > 1 ? (Array.from(words.at(-1) ?? '')[0] ?? '') : '';
  return (max === 1 ? first : first + last).toUpperCase();
}

const hues = [20, 48, 80, 125, 160, 190, 215, 245, 275, 305, 335, 355];

/** Returns the hue of an avatar, the same for the same text. */
export function hueOf(seed: string): number {
  let hash = 7;
  for (const letter of seed) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 99_991;
  return hues[hash % hues.length] ?? 215;
}
