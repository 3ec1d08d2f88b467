import { join } from 'node:path';
import { checkTypes } from './arrows.js';
import { checkBrowserSafe } from './browser-safe.js';
import { checkValues } from './cruise.js';
import type { Findings } from './findings.js';
import { isBlind } from './findings.js';
import { checkPackages } from './packages.js';

/** `npm run check:imports`: says what breaks an arrow, or that the reader is blind. */
function report(what: string, findings: Findings): boolean {
  for (const violation of findings.violations) console.error(violation);
  if (isBlind(findings)) console.error(`Imports of ${what}: read ${findings.read}, but there are ${findings.expected}`);
  return findings.violations.length === 0 && !isBlind(findings);
}

const root = process.cwd();
const clean = [
  report('values', await checkValues(root, join(root, '.dependency-cruiser.cjs'))),
  report('types', checkTypes(root)),
  report('packages', checkPackages(root)),
  report('the web app', checkBrowserSafe(root)),
];
process.exitCode = clean.every(Boolean) ? 0 : 1;
