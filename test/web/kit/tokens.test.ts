import { readFile } from 'node:fs/promises';
import t from 'tap';

/** Values of the roles: in the light and in the dark theme. */
type Roles = Readonly<Record<string, readonly [light: string, dark: string]>>;

/** Pairs that are used together, with the contrast that WCAG 2.2 demands of them (1.4.3, 1.4.11). */
const pairs: readonly (readonly [front: readonly string[], back: readonly string[], least: number])[] = [
  [['text', 'text-quiet', 'accent', 'accent-strong', 'danger'], ['surface', 'surface-2', 'surface-3', 'surface-raised'], 4.5],
  [['ok', 'warn'], ['surface', 'surface-2', 'surface-raised'], 4.5],
  [['text', 'text-quiet', 'accent'], ['accent-soft'], 4.5],
  [['text', 'danger'], ['danger-soft'], 4.5],
  [['text', 'ok'], ['ok-soft'], 4.5],
  [['text', 'warn'], ['warn-soft'], 4.5],
  [['text'], ['selection'], 4.5],
  [['accent-text'], ['accent', 'accent-strong'], 4.5],
  [['danger-text'], ['danger'], 4.5],
  [['code-word', 'code-text', 'code-number', 'code-name'], ['surface-2'], 4.5],
  [['line-control', 'focus'], ['surface', 'surface-2', 'surface-raised'], 3],
];

t.test('text and edges stand out in both themes, with and without the wish for contrast', async (t) => {
  const css = await readFile('web/kit/tokens.css', 'utf8');
  const usual = rolesIn(css.slice(0, css.indexOf('@media')));
  const strong = { ...usual, ...rolesIn(css.slice(css.indexOf('prefers-contrast'))) };
  t.ok(Object.keys(usual).length > 25, 'the roles are found');
  for (const [name, roles] of Object.entries({ usual, strong })) t.strictSame(faintPairs(roles), [], name);
});

function rolesIn(css: string): Roles {
  const found = css.matchAll(/--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g);
  return Object.fromEntries([...found].map(([, name, light, dark]) => [name, [light, dark]])) as unknown as Roles;
}

function faintPairs(roles: Roles): string[] {
  const all = pairs.flatMap(([fronts, backs, least]) => fronts.flatMap((front) => backs.map((back) => ({ front, back, least }))));
  return all.flatMap(({ front, back, least }) =>
    [0, 1].flatMap((theme) => {
      const found = contrast(roles[front]?.[theme] ?? '', roles[back]?.[theme] ?? '');
      return found >= least ? [] : [`${front} on ${back} in ${theme === 0 ? 'light' : 'dark'}: ${found.toFixed(2)}`];
    }),
  );
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/** Relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((place) => Number.parseInt(colour.slice(place, place + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
