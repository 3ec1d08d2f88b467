import { readdir } from 'node:fs/promises';
import t from 'tap';
import { onEachPlatform, someone } from '../world.js';
import { upload } from './uploads.js';

/** Names that lead out of a folder, turn the text around, start formulas or look like markup, and what they become. */
const names: readonly (readonly [given: string, name: string])[] = [
  ['../../../etc/passwd', 'passwd'],
  ['..\\..\\Windows\\system.ini', 'system.ini'],
  ['/dev/null', 'null'],
  ['plan.txt/../../evil', 'evil'],
  ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
  ['\u2067a\u2069\u200Fb.txt', 'ab.txt'],
  ['a.txt\r\nSet-Cookie: a=b', 'a.txtSet-Cookie_ a=b'],
  ['"; filename="evil.exe', '_; filename=_evil.exe'],
  ['=cmd|"calc"!A0.csv', '=cmd__calc_!A0.csv'],
  ['<img src=x onerror=alert(1)>.png', '_img src=x onerror=alert(1)_.png'],
  ['[a](http://127.0.0.1).md', '127.0.0.1).md'],
  ['\u001b[2J\u0007.txt', '[2J.txt'],
  ['.', 'file'],
];

t.test('a hostile name is harmless in answers, headers and on the disk', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http, token } = await someone(t, platform);
    for (const [given, name] of names) {
      const file = await upload(http, given, `The content of ${given}`);
      t.equal(file.name, name);
      const answer = await fetch(`${platform.url}/api/chat/files/${file.id}`, { headers: { authorization: `Bearer ${token}` } });
      t.match(answer.headers.get('content-disposition'), /^attachment; filename="[^"\\/\p{Cc}]+"(?:; filename\*=UTF-8''[\w.%!()'*~-]+)?$/u);
      t.equal(answer.headers.get('set-cookie'), null);
      t.equal(await answer.text(), `The content of ${given}`);
    }
    const stored = await readdir(`${platform.data_dir}/blobs`, { recursive: true }).catch(() => []);
    t.ok(
      stored.every((path) => /^[\da-f/]+$/.test(path)),
      'bytes have names of their own',
    );
  });
});
