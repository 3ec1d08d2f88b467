import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';

t.test('no colour is named outside of the tokens', async (t) => {
  for (const name of await readdir('web/kit/styles')) {
    const css = await readFile(`web/kit/styles/${name}`, 'utf8');
    t.notOk(/#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(/i.exec(css)?.[0], name);
  }
});
