import type { Rows } from '../row.js';

const id = { 'acme.webhooks': '=acme.greetings' } as const;
const greetings = { ...id, '1.2.0': '=0.1.0' } as const;
const minutes = { 'acme.webhooks': '=acme.minutes', '1.2.0': '=1.0.0' } as const;

/** Commands of authors, reviewers and administrators of extensions, from a folder to a removed plugin. */
export const extensionRows: Rows = {
  'extension new': { ways: 'none', says: /^acme\.greetings\/README\.md\n/m, tells: /^Try it: / },
  'extension test': { ways: 'none', says: /# pass 2\n# fail 0\n/, shown: /pass 2\n.*fail 0\n/ },
  'extension pack': { ways: 'none', says: /^acme\.greetings\t0\.1\.0\tplugin\t/, tells: /^left out: /, differs: [/\d{5,}/g] },
  'extension check': { ways: 'none', says: /^acme\.greetings\tAcme Greetings\t0\.1\.0\tplugin\t/ },
  'extension sign': { ways: 'none', says: /^acme\.greetings\t0\.1\.0\tsha256:/ },
  'extension index': { ways: 'none', given: { './bundles': '=bundles' }, says: /acme\.greetings|1/ },
  'extension verify': { ways: 'none', says: /^acme\.greetings\t0\.1\.0\tsha256:.*\tAcme\tfalse\n$/ },
  'extension publish': { says: /^acme\.greetings\t0\.1\.0\tplugin\tunder_review\t/, tells: /^signed with the key / },
  'extension reviews': { says: /^acme\.greetings\t0\.1\.0\tplugin\tunder_review\t/m },
  'extension review': { given: greetings, says: /^id\tacme\.greetings\nversion\t0\.1\.0\n[\s\S]*\nchecks\tarchive\ttrue\t/ },
  'extension approve': { given: greetings, says: /^acme\.greetings\t0\.1\.0\tplugin\tapproved\t/ },
  'extension reject': { given: minutes, says: /^acme\.minutes\t1\.0\.0\tskill\trejected\t/ },
  'extension search': { given: { webhooks: '=greetings' }, says: /^acme\.greetings\tplugin\t0\.1\.0\t/ },
  'extension info': { given: id, says: /^id\tacme\.greetings\n[\s\S]*\nversions\t0\.1\.0\t[\s\S]*\nreadme\t# .*\nreadme\t/ },
  'extension version': { given: greetings, says: /^acme\.greetings\tplugin\t0\.1\.0\t/ },
  'extension download': { given: greetings, says: /^$/ },
  'extension install': { given: greetings, says: /^acme\.greetings\t0\.1\.0\t/ },
  'extension list': { says: /^acme\.greetings\tplugin\t0\.1\.0\tactive\t/ },
  x: { says: /Hello, Ada!/ },
  'extension rm': { given: id, says: /^acme\.greetings\tuninstalled\t/ },
  'extension yank': { given: greetings, says: /^acme\.greetings\t0\.1\.0\tplugin\tyanked\t/ },
  'extension transfer': { given: { ...id, 7: 'member' }, says: /acme\.greetings/, absent: 2 },
  'extension trust': { says: /^1\tAcme\tO2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik=\t/ },
  'extension keys': { says: /^1\tAcme\t/ },
  'extension distrust': { given: { 7: '=1' }, says: /^$/ },
};
