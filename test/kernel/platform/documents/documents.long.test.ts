import t from 'tap';
import { docx } from './made.js';
import { open, unnamed } from './opened.js';

t.test('a document that needs too much memory or time ends its process alone', async (t) => {
  const { documents } = await open(t);
  const random = () => Math.random().toString(36).slice(2);
  const body = Array.from({ length: 400_000 }, () => `<w:p><w:r><w:t>${random()}</w:t></w:r></w:p>`).join('');
  t.match(await documents.read(await docx(body), unnamed), { reason: /needs more than 512 MB of memory|could not be read within 60 s/ });
  t.match(await documents.read(Buffer.from('text'), unnamed), { pages: ['text'] });
});
