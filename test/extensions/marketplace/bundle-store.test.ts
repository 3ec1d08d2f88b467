import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { BundleStore } from '../../../extensions/marketplace/bundle-store.js';
import { fail } from '../../../kernel/contract/index.js';
import { openBlobs } from '../../../kernel/platform/data/blobs.js';
import { eachDatabase, systemClock } from '../../helpers/databases.js';
import { becomes } from '../../helpers/eventually.js';
import { hashOf } from '../../kernel/core/plugins/bundle.js';
import { codeOf } from '../../kernel/platform/bundles/world.js';

t.test('a ZIP released a moment ago is stored again, and a rejected one is removed', async (t) => {
  await eachDatabase(t, async (t, data, { data_dir }) => {
    const log = { warn: (message: string) => t.fail(message) };
    const store = openBlobs(data, { data_dir, clock: systemClock, log });
    t.teardown(() => store.dispose());
    const [db, blobs] = [data.facade('marketplace'), store.of('marketplace')];
    const shelf = new BundleStore({ db, blobs, log });
    const [file, bytes] = [join(data_dir, 'bundle.zip'), Buffer.from('the bytes of a ZIP')];
    await writeFile(file, bytes);
    const hash = hashOf(bytes);

    // Not by `get`: who asks while it goes may have put it into the cache once more.
    const stored = async () => (await data.facade('kernel').rows('SELECT hash FROM kernel_blobs')).length;

    let attempts = 0;
    const missing = (times: number) => async () => {
      attempts += 1;
      if (attempts <= times) throw fail('blob_missing', 'It has gone');
      await shelf.hold(1, hash);
      return 'kept';
    };
    t.equal(await shelf.store(file, hash, missing(2)), 'kept');
    t.equal(attempts, 3);
    t.same(await blobs.get(hash), bytes);
    await db.transaction(() => shelf.release(1));
    await becomes(t, stored, 0);

    attempts = 0;
    t.equal(await codeOf(shelf.store(file, hash, missing(3))), 'blob_missing');
    t.equal(attempts, 3, 'storing is attempted at most three times');
    t.equal(await codeOf(shelf.store(file, hashOf(Buffer.from('others')), missing(0))), 'bundle_hash_mismatch');
    await becomes(t, stored, 0);
    attempts = 0;
    t.equal(await shelf.store(file, hash, missing(0)), 'kept', 'failed attempts do not affect later ones');
    const [one, other] = await Promise.all([shelf.read(hash), shelf.read(hash)]);
    t.same(one, bytes);
    t.equal(other, one, 'concurrent readers share the bytes');
    t.equal(await shelf.read(hash), one);
  });
});
