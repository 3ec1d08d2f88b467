import { createRequire } from 'node:module';
import type { ICruiseResult } from 'dependency-cruiser';
import { cruise } from 'dependency-cruiser';
import type { Findings } from './findings.js';
import { forBrowsers, sourcesBelow } from './sources.js';

/** Checks the imports of values in the build below `root`, by the rules of `.dependency-cruiser.cjs`. */
export async function checkValues(root: string, rules: string): Promise<Findings> {
  const { options, ...ruleSet } = createRequire(import.meta.url)(rules);
  const { output } = await cruise(['dist'], { ...options, baseDir: root, validate: true, ruleSet, outputType: 'json' });
  const { modules, summary } = (typeof output === 'string' ? JSON.parse(output) : output) as ICruiseResult;
  return {
    expected: sourcesBelow(root).filter((file) => !forBrowsers.test(file)).length,
    read: modules.filter(({ source }) => source.startsWith('dist/') && !source.startsWith('dist/test/')).length,
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
  };
}
