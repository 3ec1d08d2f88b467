import { nearestName } from '../kernel/contract/nearest.js';
import type { SettingType } from './types.js';

/** Protocol features that can be set; agents documents each (`meanings` in its `model/features.ts`). */
export const featureNames = [
  'stream_usage',
  'max_tokens',
  'tool_call_ids',
  'nameless_tool_results',
  'tool_names',
  'schema_keywords',
  'bare_tool_calls',
  'reasoning_content',
  'opened_reasoning',
  'tool_call_fields',
  'parallel_tool_calls',
  'consecutive_messages',
  'system_messages',
  'null_content',
  'images',
  'stream_tools',
  'stream',
  'tools',
] as const;

type Switches = Readonly<Record<string, boolean>>;

/** Type of the feature switches: an object of names with true or false. In the environment it is JSON. */
export const modelFeatures: SettingType<Switches> = {
  expected: `true or false for any of ${featureNames.join(', ')}`,
  read(found) {
    const switches = parseJson(found);
    return faultsOf(switches).length === 0 ? { ...(switches as Switches) } : undefined;
  },
  explain: (found) => faultsOf(parseJson(found)),
};

function parseJson(found: unknown): unknown {
  if (typeof found !== 'string') return found;
  if (found.trim() === '') return {};
  try {
    return JSON.parse(found);
  } catch {
    return undefined;
  }
}

function faultsOf(found: unknown): string[] {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return ['expected an object, as in {"tools": false}'];
  return Object.entries(found).flatMap(([name, value]) => {
    if (!featureNames.some((known) => known === name)) {
      const near = nearestName(name, featureNames);
      return [`${name.slice(0, 40)} is not one of ${featureNames.join(', ')}${near === undefined ? '' : `. Did you mean ${near}?`}`];
    }
    return typeof value === 'boolean' ? [] : [`${name}: expected true or false`];
  });
}
