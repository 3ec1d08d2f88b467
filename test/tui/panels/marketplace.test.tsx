import t from 'tap';
import panel from '../../../extensions/marketplace/panel.js';
import { admin, drawPanel, FakeLive, now } from '../drawn.js';

const before = new Date(now - 60_000).toISOString();

const plugin = (name: string, more: object = {}) => ({
  name,
  title: name.toUpperCase(),
  version: '1.0.0',
  author: 'platform',
  description: `What ${name} is for`,
  builtin: true,
  state: 'active',
  error: null,
  permissions: {},
  contributes: { operations: [`${name}.list`], actions: [], tools: [], topics: [], channels: [], subscriptions: 0 },
  restarts: 0,
  memory_mb: null,
  loaded_at: before,
  walls: [],
  ...more,
});

const review = (version: string, status = 'under_review') => ({
  id: 'acme.hooks',
  version,
  type: 'plugin',
  description: 'Takes webhooks',
  status,
  reason: null,
  content_hash: `sha256:${version}`,
  publisher: { member_id: 2, username: 'grace' },
  source: null,
  created_at: before,
});

const detail = {
  ...review('1.1.0'),
  checks: [{ code: 'signature', ok: false, message: 'It is not signed' }],
  compared_with: '1.0.0',
  permissions: { added: [{ permission: 'network', value: 'example.org' }], removed: [] },
  signature: null,
  signature_change: 'none',
  signed_by: null,
  files: [{ name: 'index.cjs', bytes: 2_048 }],
  readme: '# Hooks',
  contributes: { operations: ['acme.hooks.take', 'acme.hooks.kinds'], for_members: ['acme.hooks.kinds'] },
};

function marketOf() {
  const calls: unknown[] = [];
  const note = (name: string) => async (input: object) => void calls.push({ [name]: input });
  const plugins = [
    plugin('chat'),
    plugin('acme.hooks', { builtin: false, state: 'failed', error: 'It ended with code 1', memory_mb: 41.5 }),
  ];
  const client = {
    plugins: {
      list: async () => plugins,
      get: async ({ name }: { name: string }) => ({
        ...plugins.find((each) => each.name === name),
        log: [{ at: before, level: 'error', message: 'out of \u001B]0;memory', fields: { attempt: 3 } }],
      }),
      reload: note('reload'),
      enable: note('enable'),
      disable: note('disable'),
    },
    marketplace: {
      installed: async () => ({ items: [{ id: 'acme.hooks', has_update: true, latest_version: '1.1.0', yanked: false }], total: 1 }),
      reviews: async () => ({ items: [review('1.1.0'), review('1.0.0', 'approved')], total: 2 }),
      review: async () => detail,
      search: async () => ({
        items: [
          {
            id: 'acme.notes',
            version: '2.0.0',
            type: 'skill',
            description: 'Notes',
            installed_version: null,
            source: null,
            downloads: 3,
            permissions: {},
          },
        ],
        total: 1,
        unavailable: [],
      }),
      approve: note('approve'),
      reject: note('reject'),
      yank: note('yank'),
      install: note('install'),
      uninstall: note('uninstall'),
    },
  };
  return { calls, client, plugins };
}

t.test('extensions are shown with their state, and can be reloaded, stopped and removed', async (t) => {
  const { calls, client } = marketOf();
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows(/> +chat +1\.0\.0 +active +1 min ago/);
  t.match(drawn.frame, /acme\.hooks +1\.0\.0 \(1\.1\.0 available\) +failed +1 min ago +41\.5 MB +It ended/);
  t.notOk(
    drawn.offered.some((key) => key.startsWith('ctrl-d')),
    'built-in extensions cannot be removed',
  );
  drawn.press('r');
  await drawn.becomes(() => drawn.notices.length === 1, 'told');
  drawn.press('x', 'y');
  await drawn.becomes(() => drawn.notices.length === 2, 'told');
  drawn.press('j', 'o');
  await drawn.becomes(() => drawn.notices.length === 3, 'told');
  drawn.press('ctrl-d', 'y');
  await drawn.becomes(() => drawn.notices.length === 4, 'told');
  t.same(calls, [
    { reload: { name: 'chat' } },
    { disable: { name: 'chat' } },
    { enable: { name: 'acme.hooks' } },
    { uninstall: { id: 'acme.hooks', purge: false } },
  ]);
});

t.test("the details show an extension's log without terminal escapes", async (t) => {
  const drawn = drawPanel(t, panel, marketOf());
  await drawn.shows('chat');
  drawn.press('j', 'enter');
  await drawn.shows('failed: It ended with code 1');
  await drawn.shows('error out of');
  t.notMatch(drawn.frame, '\u001B]');
  t.ok(drawn.lines.length <= drawn.size.rows);
});

t.test('the inbox shows changes, approves what was opened, and rejects with a reason', async (t) => {
  const { calls, client } = marketOf();
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('chat');
  drawn.press('i');
  await drawn.shows(/> +acme\.hooks +1\.1\.0 +plugin +under review +grace/);
  drawn.press('enter');
  await drawn.shows('+ network: example.org');
  t.match(drawn.frame, 'red signature: It is not signed');
  t.match(drawn.frame, /acme\.hooks\.take *\n[^\n]*acme\.hooks\.kinds \(same answer for every member\)/);
  drawn.press('esc', 'a');
  await drawn.shows('Approve acme.hooks 1.1.0?');
  drawn.press('y');
  await drawn.becomes(() => calls.length === 1, 'approved');
  await drawn.becomes(() => drawn.notices.length === 1, 'told');
  drawn.press('x');
  await drawn.shows('Reject acme.hooks 1.1.0');
  drawn.type('No need');
  drawn.press('enter');
  await drawn.becomes(() => calls.length === 2, 'rejected');
  t.same(calls, [
    { approve: { id: 'acme.hooks', version: '1.1.0', content_hash: 'sha256:1.1.0' } },
    { reject: { id: 'acme.hooks', version: '1.1.0', reason: 'No need' } },
  ]);
});

t.test('a published extension is installed after a question', async (t) => {
  const { calls, client } = marketOf();
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('chat');
  drawn.press('s');
  await drawn.shows(/> +acme\.notes +2\.0\.0 +skill +- +here +3/);
  drawn.press('n');
  await drawn.shows('Install acme.notes 2.0.0');
  drawn.press('y');
  await drawn.becomes(() => calls.length === 1, 'installed');
  t.same(calls, [{ install: { id: 'acme.notes', version: '2.0.0', accept_permissions: false } }]);
});

t.test('a change is shown at once, and members have no changes and no inbox', async (t) => {
  const { client, plugins } = marketOf();
  const live = new FakeLive();
  const drawn = drawPanel(t, panel, { client, live, me: { ...admin, role: 'member' } });
  await drawn.shows('failed');
  t.same(
    drawn.offered.filter((key) => /^(r|o|x|i|ctrl-d) /.test(key)),
    [],
  );
  plugins.pop();
  live.tell('extension.changed', {});
  await drawn.loses('acme.hooks');
});
