import t from 'tap';
import { describe } from '../../../../config/describe.js';
import { loadConfig } from '../../../../config/load.js';
import { first_steps, type Installation, stepsDone } from '../../../../extensions/notifications/web/first-steps.js';

const settingsWith = (overrides: object) => describe(loadConfig({ env: {}, overrides }), {});
const fresh: Installation = { first_password: true, settings: settingsWith({}), employees: [{ model: null }], people: 1, backups: 0 };
const left = (installation: Installation) => first_steps.filter((step) => !stepsDone(installation)[step]);

t.test('a new installation has everything to do but its AI employee', async (t) => {
  t.same(left(fresh), ['password', 'model', 'colleague', 'base_url', 'backup']);
  t.same(left({ ...fresh, employees: [] }), ['password', 'model', 'employee', 'colleague', 'base_url', 'backup']);
});

t.test('a model counts from the settings, and of one AI employee', async (t) => {
  const set = settingsWith({ 'agents.model.base_url': 'http://127.0.0.1:11434/v1' });
  t.equal(stepsDone({ ...fresh, settings: set }).model, true);
  t.equal(stepsDone({ ...fresh, employees: [{ model: null }, { model: {} }] }).model, true);
});

t.test('the address, a colleague and a backup count once they are there', async (t) => {
  const settings = settingsWith({ base_url: 'https://platform.example.org', 'agents.model.base_url': 'http://127.0.0.1:11434/v1' });
  t.same(left({ ...fresh, first_password: false, settings, people: 2, backups: 1 }), []);
});
