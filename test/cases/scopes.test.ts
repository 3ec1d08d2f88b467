import t from 'tap';
import { goodSkill, skillManifest } from '../kernel/platform/bundles/world.js';
import { zipOf } from '../kernel/platform/bundles/zip.js';
import { Side } from '../operations/side.js';
import { scopeCases } from './members/scopes.js';

t.test("the scopes of an administrator's token limit it at every door", async (t) => {
  const side = await Side.start(t, 'http');
  const bundle = 'under-review';
  const file = { name: 'bundle.zip', bytes: zipOf(goodSkill({ ...skillManifest, id: bundle, version: '1.0.0' })) };
  await side.give('marketplace.publish', { type: 'skill', file }, 'ada');
  const node = await side.give<{ id: number }>('nodes.register', { name: 'away', node_type: 'docker', host: 'tcp://127.0.0.2:9' });
  for (const { name, source, scopes, method, path, body, status, expected = {} } of scopeCases) {
    await t.test(`${name} (${source})`, async (t) => {
      const { token } = await side.give<{ token: string }>('tokens.create', { name: name.slice(0, 64), scopes }, 'admin');
      const answer = await fetch(side.platform.url + path.replace('{bundle}', bundle).replace('{node}', String(node.id)), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      t.equal(answer.status, status, text.slice(0, 300));
      for (const [key, value] of Object.entries(expected)) t.strictSame(JSON.parse(text)[key], value, key);
    });
  }
});
