import t from 'tap';
import { withoutSecrets } from '../../../kernel/contract/index.js';

t.test('whole secrets are masked, except very short ones', async (t) => {
  t.equal(withoutSecrets('ollama refused sk-12345 and sk-12345', ['ollama', 'sk-12345', '']), 'ollama refused … and …');
  t.equal(withoutSecrets('nothing to hide', []), 'nothing to hide');
});
