import t from 'tap';
import { withoutSecrets } from '../../../kernel/contract/index.js';

t.test('whole secrets are hidden, and placeholders of fewer than eight characters are words', async (t) => {
  t.equal(withoutSecrets('ollama refused sk-12345 and sk-12345', ['ollama', 'sk-12345', '']), 'ollama refused … and …');
  t.equal(withoutSecrets('nothing to hide', []), 'nothing to hide');
});
