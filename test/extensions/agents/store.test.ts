import t from 'tap';
import { migration } from '../../../extensions/agents/migrations/0001-agents.js';
import { defineModels } from '../../../extensions/agents/models.js';
import { openStore } from '../../../extensions/agents/store.js';
import { eachDatabase } from '../../helpers/databases.js';

t.test('the creation of the default AI employee begins once, and only its own id removes it', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('agents', [migration]);
    const db = data.facade('agents');
    const store = openStore(db, defineModels(db).default);
    t.equal(await store.default(), undefined);
    t.equal(await store.begin(), true);
    t.equal(await store.begin(), false);
    t.equal(await store.default(), undefined, 'begun, but not set');
    await store.setDefault(7);
    await store.forget(8);
    t.equal(await store.default(), 7);
    await store.forget(7);
    t.equal(await store.default(), undefined);
    t.equal(await store.begin(), false, 'the creation does not begin again after a removal');
  });
});

t.test('a failed creation is rolled back', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('agents', [migration]);
    const db = data.facade('agents');
    const store = openStore(db, defineModels(db).default);
    const failing = store.transaction(async () => {
      await store.begin();
      throw new Error('no member');
    });
    await t.rejects(failing, { message: 'no member' });
    t.equal(await store.begin(), true);
  });
});
