import t from 'tap';
import type { Furnishing } from '../../../../extensions/nodes/contract.js';
import { FileCopier, type FileCopierParts } from '../../../../extensions/nodes/work/furnishing/file-copier.js';

/** Invalid requests are rejected before any node is asked. */
const copier = new FileCopier({
  places: { open: () => Promise.reject(new Error('asked')) },
  nodes: { find: async () => undefined },
} as unknown as FileCopierParts);
const { signal } = new AbortController();
const content_hash = `sha256:${'a'.repeat(64)}`;
const wish = (change: Partial<Furnishing>): Furnishing => ({
  node_id: 1,
  member_id: 5,
  employee_id: 2,
  folder: '.skills/acme.reports',
  content_hash,
  files: [],
  ...change,
});

t.test('a target folder must be a kind and a name, and a version a hash', async (t) => {
  for (const folder of ['.skills', '.skills/', '', '/', '.', '..', '../x', '.skills/..', '/etc/x', 'a/b/c', '.skills/a\nb', '.skills/.x']) {
    await t.rejects(copier.furnish(wish({ folder }), signal), /is no kind, name and hash/, JSON.stringify(folder));
  }
  for (const content_hash of ['', 'sha256:', '../../..', `sha256:${'A'.repeat(64)}`]) {
    await t.rejects(copier.furnish(wish({ content_hash }), signal), /is no kind, name and hash/, content_hash);
  }
  await t.rejects(copier.furnish(wish({ folder: 'templates/Acme_1.a-b' }), signal), { message: 'asked' });
  await t.rejects(copier.furnish(wish({}), signal), { message: 'asked' });
});
