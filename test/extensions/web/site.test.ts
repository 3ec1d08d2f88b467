import t, { type Test } from 'tap';
import { adminPassword, ownExtension, startPlatform } from '../../helpers/platform.js';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

async function start(t: Test, settings: Record<string, unknown> = {}) {
  const extensions = ['members', 'web'].map(ownExtension);
  return startPlatform(t, { extensions, settings });
}

async function logIn(url: string): Promise<Record<string, string>> {
  const body = JSON.stringify({ username: 'admin', password: adminPassword });
  const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const { access_token } = (await answer.json()) as { access_token: string };
  return { authorization: `Bearer ${access_token}` };
}

t.test('every address shows the document to a browser, and JSON to programs', async (t) => {
  const { url } = await start(t);
  for (const path of ['/', '/chat', '/chat/0199.7', '/a.b/c.js', '/members/7?tab=roles', '/apiary']) {
    const shown = await fetch(url + path, { headers: browser });
    t.equal(shown.status, 200, path);
    t.match(shown.headers.get('content-type'), 'text/html', path);
    t.match(await shown.text(), '<div id="app">', path);
    for (const accept of ['*/*', 'application/json', 'text/html;q=0, application/json', 'text/htmlx']) {
      const answer = await fetch(url + path, { headers: { accept } });
      t.match([answer.status, await answer.json()], [404, { code: 'not_found' }], `${path} for ${accept}`);
    }
  }
  t.equal((await fetch(url, { method: 'HEAD', headers: browser })).status, 200);
});

t.test('the API, the files and what the kernel serves win over pages', async (t) => {
  const { url } = await start(t);
  for (const path of [
    '/api',
    '/api/nothing',
    '/api/members/x.y/z',
    '/assets',
    '/assets/web/none.js',
    '/assets/a/b/c',
    '/assets/frames/none',
  ]) {
    const answer = await fetch(url + path, { headers: browser });
    t.notMatch(await answer.text(), '<div id="app">', path);
    t.match(answer.headers.get('content-type'), 'application/json', path);
    t.ok([401, 404].includes(answer.status), `${path}: ${answer.status}`);
  }
  t.match((await (await fetch(`${url}/healthz`, { headers: browser })).json()) as object, { status: 'ok' });
  t.match(await (await fetch(`${url}/docs`, { headers: browser })).text(), 'Platform API');
  t.equal((await fetch(`${url}/ws`, { headers: browser })).status, 426);
  t.equal((await fetch(url, { method: 'POST', headers: browser })).status, 404);
});

t.test('each document has a policy with a nonce of its own, and is not kept', async (t) => {
  const { url } = await start(t);
  const answers = await Promise.all([1, 2].map(() => fetch(url, { headers: browser })));
  const nonces = await Promise.all(
    answers.map(async (answer) => {
      const policy = answer.headers.get('content-security-policy') ?? '';
      const [, nonce = ''] = /script-src 'self' 'nonce-([\w-]{22})'/.exec(policy) ?? [];
      const text = await answer.text();
      const marks = [...text.matchAll(/nonce="([^"]*)"/g)].map((match) => match[1]);
      t.same([...new Set(marks)], [nonce], 'all of its scripts have the nonce of its policy');
      for (const part of ["default-src 'none'", "require-trusted-types-for 'script'", "base-uri 'none'", "frame-ancestors 'none'"])
        t.match(policy, part);
      t.equal(answer.headers.get('cache-control'), 'no-store');
      return nonce;
    }),
  );
  t.not(nonces[0], nonces[1]);
});

t.test('files are kept for ever and come compressed; others are not served', async (t) => {
  const { url } = await start(t);
  const page = await (await fetch(url, { headers: browser })).text();
  const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] as string);
  t.ok(files.length >= 2);
  for (const file of files) {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const answer = await fetch(url + file, { headers: { 'accept-encoding': encoding } });
      t.equal(answer.status, 200, file);
      t.equal(answer.headers.get('content-encoding') ?? 'identity', encoding, file);
      t.match(answer.headers.get('cache-control'), /max-age=31536000.*immutable/);
      t.match(answer.headers.get('content-type'), file.endsWith('.css') ? 'text/css' : 'text/javascript');
      t.equal(answer.headers.get('vary'), 'Accept-Encoding');
      await answer.arrayBuffer();
    }
  }
  const outside = ['/assets/web/..%2Fmanifest.json', '/assets/web/..%2F..%2Findex.cjs', '/assets/members/index.js', '/assets/web/%00.js'];
  for (const path of outside) t.ok([400, 404].includes((await fetch(url + path)).status), path);
});

t.test('without the extension a browser gets a small page, and the API goes on', async (t) => {
  const { url, kernel } = await start(t);
  const headers = await logIn(url);
  const stop = await fetch(`${url}/api/admin/plugins/web/disable`, { method: 'POST', headers });
  t.equal(stop.status, 200);
  for (const path of ['/', '/chat/7']) {
    const answer = await fetch(url + path, { headers: browser });
    t.equal(answer.status, 503, path);
    t.match(answer.headers.get('content-type'), 'text/html', path);
    t.match(await answer.text(), 'not available now', path);
  }
  t.equal((await fetch(`${url}/api/auth/me`, { headers })).status, 200);
  await kernel.close();
});

t.test('behind a path prefix all addresses have it', async (t) => {
  const { url } = await start(t, { base_url: 'https://example.org/work' });
  const page = await (await fetch(url, { headers: browser })).text();
  for (const [, address = ''] of page.matchAll(/(?:src|href)="(\/[^"]+)"/g)) t.match(address, /^\/work\/assets\//);
  t.match(page, 'data-prefix="/work"');
  const { pages, shell } = (await (await fetch(`${url}/api/web/start`, { headers: await logIn(url) })).json()) as {
    pages: { module: string }[];
    shell: string;
  };
  for (const address of [shell, ...pages.map(({ module }) => module)]) t.match(address, /^\/work\/assets\//);
});

t.test('a member starts with the pages and operations that are theirs', async (t) => {
  const { url } = await start(t);
  const admin = await logIn(url);
  const json = { 'content-type': 'application/json' };
  const login = { username: 'ada', password: 'a long password' };
  await fetch(`${url}/api/members`, { method: 'POST', body: JSON.stringify(login), headers: { ...admin, ...json } });
  const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', body: JSON.stringify(login), headers: json });
  const { access_token } = (await answer.json()) as { access_token: string };
  const startOf = async (headers: Record<string, string>) => (await (await fetch(`${url}/api/web/start`, { headers })).json()) as never;
  const ada: Record<string, unknown> = await startOf({ authorization: `Bearer ${access_token}` });
  const whole: Record<string, unknown> = await startOf(admin);
  t.match(ada, {
    me: { username: 'ada', role: 'member' },
    operations: { 'members.list': { method: 'GET', path: '/api/members', kind: 'call' } },
  });
  t.notOk('members.create' in (ada.operations as object));
  t.ok('members.create' in (whole.operations as object));
  for (const { entries } of ada.pages as { entries: { for: string }[] }[]) t.ok(entries.every((entry) => entry.for === 'member'));
  t.equal((await fetch(`${url}/api/web/start`)).status, 401);
});
