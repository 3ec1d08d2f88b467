import type { Uses } from '../../table.js';

const person = { id: 'zoe', username: 'zoe', nickname: 'Zoe' };
const long = { name: 'a name of a source that is too long', input: { source: 'x'.repeat(65) }, code: 'invalid_input' };

/** The operations that store exports; they answer at the server's socket only. */
export const importRows: Record<string, Uses> = {
  'imports.find': {
    success: [],
    elsewhere: { test: 'cli/import/mattermost.test.ts', input: { source: 'slack', people: [person] } },
    failures: [long],
  },
  'imports.write': {
    success: [],
    elsewhere: { test: 'cli/import/mattermost.test.ts', input: { source: 'slack', people: [person] } },
    failures: [long],
  },
  'imports.file': {
    success: [],
    elsewhere: { test: 'cli/import/mattermost.test.ts', input: { file: { name: 'report.txt', bytes: Buffer.from('A report') } } },
    failures: [],
  },
};
