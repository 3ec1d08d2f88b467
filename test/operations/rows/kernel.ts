import type { Side } from '../side.js';
import type { Uses } from '../table.js';

const unknown = { name: 'an unknown extension', input: { name: 'nobody' }, code: 'plugin_not_found' };
const backup = async (side: Side) => ({ file: (await side.give<{ file: string }>('maintenance.backup')).file });
const badName = { name: 'an invalid name', input: { name: '../up' }, code: 'invalid_input' };

export const kernelRows: Record<string, Uses> = {
  'plugins.list': {
    success: [{ name: 'lists loaded extensions', input: {} }],
    failures: [],
  },
  'plugins.get': {
    success: [
      {
        name: 'returns one without the fields for administrators',
        input: { name: 'members' },
        body: { state: 'active', config: {}, log: [] },
      },
      {
        name: 'returns its settings with masked secrets',
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
  'plugins.settings': {
    success: [],
    elsewhere: { test: 'kernel/core/plugins/settings.long.test.ts', input: { name: 'guest' } },
    failures: [unknown, badName, { name: "one of the platform's own", input: { name: 'hello' }, code: 'plugin_without_config' }],
  },
  'plugins.configure': {
    success: [],
    elsewhere: { test: 'kernel/core/plugins/settings.long.test.ts', input: { name: 'guest', config: {} } },
    failures: [
      { ...unknown, input: { name: 'nobody', config: {} } },
      { ...badName, input: { name: '../up', config: {} } },
      { name: 'no settings', input: { name: 'hello' }, code: 'invalid_input' },
      { name: "one of the platform's own", input: { name: 'hello', config: {} }, code: 'plugin_without_config' },
    ],
  },
  'catalog.get': {
    success: [
      { name: 'lists the operations of a member', input: {} },
      { name: 'lists the operations of an administrator', asker: 'admin', input: {} },
    ],
    failures: [],
  },
  'version.get': {
    success: [{ name: 'returns the versions', asker: 'nobody', input: {}, body: { api: '1' } }],
    failures: [],
    cannot_fail: 'It is open to everybody and takes no input.',
  },
  'audit.list': {
    success: [
      {
        name: 'lists calls of an operation, latest first',
        input: async (side) => {
          await side.give('members.create', { username: side.newName(), password: 'a long password' });
          return { operation: 'members.create', outcome: 'success', limit: 1 };
        },
        body: [{ username: 'admin', target: /^\d+$/, times: 1, input: { password: '[redacted]', username: /^member-/ } }],
      },
      { name: 'finds nothing if there is none', input: { operation: 'nobody.does', from: '2001-01-01' }, body: [] },
    ],
    failures: [
      { name: 'an invalid time', input: { from: 'yesterday' }, code: 'invalid_input' },
      { name: 'too many at once', input: { limit: 201 }, code: 'invalid_input' },
    ],
  },
  'checks.list': {
    success: [{ name: 'returns red checks', input: {} }],
    failures: [],
  },
  'status.get': {
    success: [
      {
        name: 'returns the state of the server',
        input: {},
        body: { database: /sqlite|postgres/, http: { url: /^http/ }, extensions: { failed: [] }, seats: { limit: 0 } },
      },
    ],
    failures: [],
  },
  'config.get': {
    success: [],
    elsewhere: { test: 'cases/command-line-places.long.test.ts', input: {} },
    failures: [],
  },
  'maintenance.cleanup': {
    success: [{ name: 'removes outdated ones', input: {}, body: { failed: [] } }],
    failures: [],
  },
  'maintenance.backup': {
    success: [
      { name: 'writes an archive', input: {}, body: { missing_blobs: 0, removed: [], needs_secret_key: true } },
      { name: 'removes the oldest', input: { keep: 1 }, body: { removed: [/./] } },
    ],
    failures: [
      { name: 'none to keep', input: { keep: 0 }, code: 'invalid_input' },
      { name: 'too many to keep', input: { keep: 366 }, code: 'invalid_input' },
    ],
  },
  'backups.list': {
    success: [{ name: 'lists the archives', input: {}, body: [{ file: /\.tar$|<backup>/ }] }],
    failures: [],
  },
  'backups.read': {
    success: [
      {
        name: 'returns the beginning of one',
        input: async (side) => ({ ...(await backup(side)), bytes: 9 }),
        body: { mime_type: 'application/x-tar', bytes: { data: { length: 9 } } },
      },
      {
        name: 'returns nothing after its end',
        input: async (side) => ({ ...(await backup(side)), offset: Number.MAX_SAFE_INTEGER }),
        body: { bytes: { data: [] } },
      },
    ],
    failures: [
      { name: 'a missing one', input: { file: '20200101T000000000Z-00000000.tar' }, code: 'backup_not_found' },
      { name: 'an invalid archive name', input: { file: '../secret.key' }, code: 'invalid_input' },
    ],
  },
  'backups.delete': {
    success: [{ name: 'removes one', input: backup }],
    failures: [
      { name: 'a missing one', input: { file: '20200101T000000000Z-00000000.tar' }, code: 'backup_not_found' },
      { name: 'an invalid archive name', input: { file: 'secret.key' }, code: 'invalid_input' },
    ],
  },
};
