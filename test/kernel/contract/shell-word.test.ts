import { execFileSync } from 'node:child_process';
import t from 'tap';
import { shellWord } from '../../../kernel/contract/shell-word.js';

t.test('a shell reads the quoted text as one unchanged word', async (t) => {
  const texts = ['/srv/data', "it's", '$(touch /x)', '`id`', 'a b\nc', '"; rm -rf /', '~', '*', ''];
  for (const text of texts) t.equal(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`]).toString(), text);
});
