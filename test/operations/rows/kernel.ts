import type { Uses } from '../table.js';

const unknown = { name: 'an unknown extension', input: { name: 'nobody' }, code: 'plugin_not_found' };
const badName = { name: 'what is no name', input: { name: '../up' }, code: 'invalid_input' };

export const kernelRows: Record<string, Uses> = {
  'plugins.list': {
    success: [{ name: 'lists what is loaded', input: {} }],
    failures: [],
  },
  'plugins.get': {
    success: [
      { name: 'shows one without what is for administrators', input: { name: 'members' }, body: { state: 'active', config: {}, log: [] } },
      {
        name: 'shows its settings, secrets masked',
        asker: 'admin',
        input: { name: 'members' },
        body: { config: { admin_password: '[redacted]' } },
      },
    ],
    failures: [unknown, badName],
  },
  'plugins.disable': {
    success: [{ name: 'stops one', input: { name: 'hello' }, body: { name: 'hello', state: 'disabled' } }],
    failures: [unknown, badName, { name: 'a required one', input: { name: 'members' }, code: 'extension_required' }],
  },
  'plugins.enable': {
    success: [{ name: 'starts it again', input: { name: 'hello' }, body: { name: 'hello', state: 'active' } }],
    failures: [unknown, badName],
  },
  'plugins.reload': {
    success: [{ name: 'reads one again', input: { name: 'members' }, body: { name: 'members', state: 'active' } }],
    failures: [unknown, badName],
  },
  'catalog.get': {
    success: [
      { name: 'lists what a member may', input: {} },
      { name: 'lists what an administrator may', asker: 'admin', input: {} },
    ],
    failures: [],
  },
  'version.get': {
    success: [{ name: 'tells the versions', asker: 'nobody', input: {}, body: { api: '1' } }],
    failures: [],
    cannot_fail: 'It is open to everybody and takes no input.',
  },
  'checks.list': {
    success: [{ name: 'tells what is red', input: {} }],
    failures: [],
  },
};
