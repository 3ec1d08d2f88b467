import { execFileSync } from 'node:child_process';
import t from 'tap';
import { shellWord } from '../../../kernel/contract/shell-word.js';

t.test('a shell takes what is pasted for one word, as it was', async (t) => {
  const texts = ['/srv/data', "it's", '$(touch /x)', '`id`', 'a b\nc', '"; rm -rf /', '~', '*', ''];
  for (const text of texts) t.equal(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`]).toString(), text);
});
