import t from 'tap';
import { hasMaskedSecret, maskSecrets, restoreSecrets, Vault } from '../../../extensions/schedules/secrets.js';

const hidden = '[redacted]';
const params = {
  url: 'https://ada:pass@host.example:8443/a?access_token=abc&page=2&key=k&q=a%20b#token=x',
  headers: { accept: 'text/plain' },
  body: 'a text with https://x.example/?token=stays',
  deep: [{ api_key: 'abc', empty_token: '', count: 3 }],
};
const shown = {
  url: `https://ada:${hidden}@host.example:8443/a?access_token=${hidden}&page=2&key=${hidden}&q=a%20b#token=x`,
  headers: { accept: hidden },
  body: 'a text with https://x.example/?token=stays',
  deep: [{ api_key: hidden, empty_token: '', count: 3 }],
};

t.test('secrets in params are masked, also in addresses', async (t) => {
  t.same(maskSecrets(params), shown);
  t.same(maskSecrets({ url: 'https://host.example/a?page=2' }), { url: 'https://host.example/a?page=2' });
});

const secrets = {
  seal: (plain: Uint8Array) => Buffer.from(plain).toString('base64'),
  open: (sealed: string) => Buffer.from(sealed, 'base64'),
};

t.test('secrets are sealed, and the rest is stored unchanged', async (t) => {
  const vault = new Vault(secrets);
  const stored = vault.seal(params);
  t.match(stored, {
    url: /^sealed:/,
    headers: { accept: /^sealed:/ },
    body: params.body,
    deep: [{ api_key: /^sealed:/, empty_token: '', count: 3 }],
  });
  t.same(vault.open(stored), params);
  const tricky = { token: 'sealed:nonsense', note: 'sealed: with a kiss', password: 7 };
  t.same(vault.open(vault.seal(tricky)), tricky, 'a value that only looks sealed is restored unchanged');
  t.same(vault.open({ token: 'stored before' }), { token: 'stored before' });
});

t.test('values sealed with another key are shown as unreadable until they are set again', async (t) => {
  const elsewhere = new Vault({
    ...secrets,
    open: () => {
      throw new Error('another key');
    },
  });
  const stored = new Vault(secrets).seal(params);
  t.throws(() => elsewhere.open(stored), { code: 'params_unreadable', status: 409 });
  const read = maskSecrets(elsewhere.readable(stored));
  t.match(read, { url: '[unreadable]', headers: { accept: '[unreadable]' }, body: params.body });
  t.ok(hasMaskedSecret(restoreSecrets(read, elsewhere.readable(stored))), 'the placeholder itself is not a secret');
});

t.test('masked values are restored from the stored ones, and new ones are accepted', async (t) => {
  t.same(restoreSecrets(shown, params), params);
  const url = 'https://host.example:8443/?token=new';
  const changed = { ...shown, url, headers: { accept: hidden, 'x-new': 'v' } };
  t.same(restoreSecrets(changed, params), { ...params, url, headers: { accept: 'text/plain', 'x-new': 'v' } });
});

t.test('a placeholder next to an address of another origin is not restored, however it is written', async (t) => {
  const origins = [
    'https://evil.example:8443',
    'https://host.example',
    'http://host.example:8443',
    ' https:\\\\evil.example',
    'https:evil.example',
  ];
  for (const url of origins) {
    const elsewhere = { ...shown, url };
    t.same(restoreSecrets(elsewhere, params), elsewhere, url);
    t.ok(hasMaskedSecret(elsewhere));
  }
  const hooks = [1, 2].map((n) => ({ url: `https://hook${n}.example/`, token: `${n}` }));
  const swapped = [2, 1].map((n) => ({ url: `https://hook${n}.example/`, token: hidden }));
  t.same(restoreSecrets({ hooks: swapped }, { hooks }), { hooks: swapped }, 'another address in the same place gets no secret');
  const inHeader = { ...shown, headers: { accept: hidden, referer: 'https://other.example/' } };
  t.match(restoreSecrets(inHeader, params), { headers: { accept: 'text/plain' } }, 'an address in a header is not requested');
});

t.test('a masked value stands for a secret only beside the stored one', async (t) => {
  t.notOk(hasMaskedSecret(params));
  t.notOk(hasMaskedSecret({ ...restoreSecrets(shown, params), text: `it said ${hidden}` }));
  t.ok(hasMaskedSecret(shown), 'params copied to another schedule get no secret');
  t.ok(
    hasMaskedSecret(restoreSecrets({ ...shown, url: shown.url.replace('host.example', 'other.example') }, params)),
    'a changed address beside the secret gets no secret',
  );
  t.ok(hasMaskedSecret({ headers: { authorization: hidden } }));
});

t.test('an address is scanned in linear time', async (t) => {
  const began = performance.now();
  const url = `https://host.example/${'?'.repeat(40_000)}`;
  t.same(maskSecrets({ url }), { url });
  t.ok(performance.now() - began < 1_000);
});
