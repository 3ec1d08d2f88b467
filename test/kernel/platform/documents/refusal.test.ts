import t from 'tap';
import { reasons } from '../../../../kernel/platform/documents/refusal.js';

t.test('each reason why a document has no text says what a person can do', async (t) => {
  for (const [code, reason] of Object.entries(reasons)) t.match(reason, /^The document .+: \w+ .+$/, code);
});
