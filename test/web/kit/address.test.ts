import t from 'tap';
import { importWeb } from '../../helpers/web.js';

interface Addresses {
  linkAddress: (address: string) => string;
  isOwnPath: (address: string) => boolean;
}

const { linkAddress, isOwnPath } = await importWeb<Addresses>('kit/data/address.ts');

t.test('links lead to http(s), mailto and the own pages', async (t) => {
  for (const address of ['https://example.org/a?b=1#c', 'HTTP://example.org', 'mailto:mara@example.org', '/chat/7', '/'])
    t.equal(linkAddress(address), address, address);
  t.ok(isOwnPath('/chat/7'));
});

t.test('no other address is followed', async (t) => {
  const addresses = [
    '/people/%E0%A4%A',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'javascript&colon;alert(1)',
    'vbscript:msgbox(1)',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://example.org/1',
    'file:///etc/passwd',
    'filesystem:https://example.org/x',
    'view-source:https://example.org',
    'about:blank',
    'https:example.org',
    '//example.org',
    '/\\example.org',
    '/\t/example.org',
    '/\n\\example.org',
    'chat/7',
    '#top',
    '',
  ];
  for (const address of addresses) t.equal(linkAddress(address), '', JSON.stringify(address));
});
