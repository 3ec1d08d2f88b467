import t from 'tap';
import { parseManifest } from '../../../kernel/host/manifest.js';

const good = { id: 'hello', name: 'Hello', type: 'plugin', version: '1.0.0', description: 'Greets.', author: 'test' };

t.test('a manifest is read, with the default for its bundle', async (t) => {
  t.same(parseManifest(JSON.stringify(good)), { ...good, main: 'index.cjs' });
});

const wrong: [string, object][] = [
  ['id', { id: 'Hello!' }],
  ['id', { id: '../up' }],
  ['version', { version: '1.0' }],
  ['type', { type: 'theme' }],
  ['claims.0', { claims: ['api/x'] }],
  ['claims.0', { claims: ['/api/../x y'] }],
  ['dependencies.members', { dependencies: { members: 'newest' } }],
  ['engines.platform', { engines: { platform: 'soon' } }],
];

for (const [path, change] of wrong) {
  t.test(`${JSON.stringify(change)} is refused with its path`, async (t) => {
    t.throws(() => parseManifest(JSON.stringify({ ...good, ...change })), { code: 'manifest_invalid', status: 400, details: [{ path }] });
  });
}

t.test('what is not JSON is refused', async (t) => {
  t.throws(() => parseManifest('{'), { code: 'manifest_invalid', message: 'manifest.json is not valid JSON' });
});
