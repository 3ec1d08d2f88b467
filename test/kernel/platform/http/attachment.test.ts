import t from 'tap';
import { attachment } from '../../../../kernel/platform/http/attachment.js';

t.test('the header of an attachment has the name for all clients', async (t) => {
  t.equal(attachment('plan.txt'), `attachment; filename="plan.txt"; filename*=UTF-8''plan.txt`);
  t.equal(
    attachment(`Grüße 100% "it's" (1)\\*.pdf`),
    `attachment; filename="Gr__e 100_ _it's_ (1)_*.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20100%25%20%22it%27s%22%20%281%29%5C%2A.pdf`,
  );
  t.match(attachment('a\r\nSet-Cookie: b\0\uD800'), /^[\x20-\x7E]+$/, 'no name leaves the header');
});
