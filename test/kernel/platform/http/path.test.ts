import { Agent, get, type RequestOptions } from 'node:http';
import { server as createServer } from '@hapi/hapi';
import fc from 'fast-check';
import t from 'tap';
import { isFailure } from '../../../../kernel/contract/failure.js';
import { normalPath, originForm } from '../../../../kernel/platform/http/path.js';

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return isFailure(thrown) ? thrown.code : String(thrown);
  }
};

t.test('a plain path stays unchanged', async (t) => {
  t.equal(normalPath('/api/members/12?page=2#top'), '/api/members/12');
  t.equal(normalPath('/'), '/');
  t.equal(normalPath('//api'), '//api');
});

t.test('needless encodings and dots are resolved', async (t) => {
  t.equal(normalPath('/api/m%65mbers'), '/api/members');
  t.equal(normalPath('/api/x/../members'), '/api/members');
  t.equal(normalPath('/api/x/%2e%2E/members'), '/api/members');
  t.equal(normalPath('/../../etc/passwd'), '/etc/passwd');
  t.equal(normalPath('/api/.'), '/api/');
  t.equal(normalPath('/a%2fb'), '/a%2Fb', 'an encoded slash does not separate segments');
});

t.test('a path that is not percent-encoded UTF-8, or contains NUL, is rejected', async (t) => {
  for (const target of ['/%ff', '/a?q=%E0%A4%A', '/%zz', '/%', '/a%00b', '/a?q=%00']) {
    t.equal(
      codeOf(() => normalPath(target)),
      'malformed_request',
      target,
    );
  }
});

t.test('the absolute form of a proxy request loses its origin', async (t) => {
  t.equal(originForm('http://other.example/api/a?b=c'), '/api/a?b=c');
  t.equal(originForm('/api/a?b=c'), '/api/a?b=c');
  for (const target of ['*', 'ftp://x/y', 'http://', 'x'])
    t.equal(
      codeOf(() => originForm(target)),
      'malformed_request',
      target,
    );
});

t.test('front and hapi agree about every path', async (t) => {
  const hapi = createServer({ port: 0, host: '127.0.0.1' });
  t.teardown(() => hapi.stop());
  hapi.route({ method: 'GET', path: '/{any*}', handler: (request) => request.path });
  await hapi.start();
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', '%2e', '%2E%2e', '%65xt', '%2F', '%41', '%c3%a9', '%25', '%252e', '~', 'a.b', '...', '.x'),
    fc.webSegment(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const target = `/${parts.join('/')}`;
      if (codeOf(() => normalPath(target)) === 'malformed_request') return true;
      return normalPath(target) === (await pathOf({ port: Number(hapi.info.port), path: target, agent }));
    }),
    { numRuns: 500 },
  );
});

/** The path that the server saw. A real request: hapi's own `inject` reads `//a@b` as a host. */
function pathOf(options: RequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    get(options, (answer) => {
      let text = '';
      answer
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .once('end', () => resolve(text));
    }).once('error', reject);
  });
}
