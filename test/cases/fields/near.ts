/** A name that is unknown, and the known one that it most likely stands for. */
export interface NearCase {
  name: string;
  source: string;
  given: string;
  known: readonly string[];
  near: string | undefined;
}

const distances = 'ka-weihe/fastest-levenshtein: README';
const model = ['base_url', 'api_key', 'model'];

export const nearCases: readonly NearCase[] = [
  { name: 'a missing letter', source: distances, given: 'instuctions', known: ['instructions', 'oversight'], near: 'instructions' },
  {
    name: 'two swapped letters of a short name',
    source: 'tj/commander.js: README, suggestions after errors',
    given: 'prot',
    known: ['host', 'port'],
    near: 'port',
  },
  { name: 'a word of the known name', source: distances, given: 'url', known: model, near: 'base_url' },
  { name: 'a known word with more around it', source: distances, given: 'model_name', known: model, near: 'model' },
  { name: 'camelCase instead of snake_case', source: 'google.aip.dev/140', given: 'baseUrl', known: model, near: 'base_url' },
  { name: 'dashes and capitals', source: 'google.aip.dev/140', given: 'API-KEY', known: model, near: 'api_key' },
  { name: 'no known name is similar', source: distances, given: 'colour', known: model, near: undefined },
  { name: 'the list of known names is empty', source: distances, given: 'x', known: [], near: undefined },
  { name: 'a name of punctuation only', source: distances, given: '--', known: model, near: undefined },
  {
    name: 'a name that is too long to be compared',
    source: 'CWE-407',
    given: 'a'.repeat(1_000_000),
    known: ['a'.repeat(63)],
    near: undefined,
  },
  {
    name: 'a known name that is too long to be compared',
    source: 'CWE-407',
    given: 'abc',
    known: ['a'.repeat(1_000_000), 'abd'],
    near: 'abd',
  },
];
