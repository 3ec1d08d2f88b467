import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2 AA and good practice. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Waits for the end of what fades in: until then its colours are not its own. */
const settled = `Promise.all(document.getAnimations().map((animation) =>
  animation.effect.getTiming().iterations === Infinity || animation.finished.catch(() => undefined)))`;

/**
 * Returns what the rules find, as the rule and the elements. The page's policy refuses the script, so the page's browser profile needs
 * `bypassCSP`.
 */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  await page.evaluate(settled);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] });
  const { violations: found } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, html }) => `${target.join(' ')} ${html.slice(0, 120)}`).join(', ')}`);
}
