import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { adminPassword, callerOf, type TestPlatform } from '../../helpers/platform.js';
import { hashOf, pluginZip } from '../../kernel/core/plugins/bundle.js';
import { ownIds } from './processes.js';
import { onEach, publish } from './world.js';

const plugin = (version: string, more: object = {}) =>
  pluginZip({
    version,
    description: 'Greets whoever comes.',
    permissions: { storage: true },
    activate: `ctx.listen('guest.greeted', async () => {});
      ctx.expose({ 'guest.greet': op('greet', { schedulable: true, tool: true }), 'guest.version': op('version', { audience: 'members' }) },
        { 'guest.greet': ({ name }) => ({ text: 'Hello ' + name }), 'guest.version': () => '${version}' });`,
    ...more,
  });

async function tokenOf({ kernel }: TestPlatform): Promise<{ authorization: string }> {
  const { body } = await kernel.invoke('auth.login', { username: 'admin', password: adminPassword }, callerOf({ member_id: 0 }));
  return { authorization: `Bearer ${(body as { access_token: string }).access_token}` };
}

t.test('a plugin is published, reviewed, approved and installed, works everywhere within a second, and is uninstalled', async (t) => {
  await onEach(t, async (t, { platform, admin, ada, bob }) => {
    const { kernel, url } = platform;
    const headers = { ...(await tokenOf(platform)), 'content-type': 'application/json' };
    const greet = () => fetch(`${url}/api/x/guest/greet`, { method: 'POST', headers, body: '{"name":"Ada"}' });
    const documented = async () => {
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
      return Object.keys(paths).filter((path) => path.startsWith('/api/x/'));
    };
    const zip = plugin('1.0.0');
    const published = await publish(ada, zip);
    t.match(published, { id: 'guest', version: '1.0.0', type: 'plugin', status: 'under_review', content_hash: hashOf(zip) });
    t.equal(published.checks.find(({ code }) => code === 'permissions')?.message, 'First version; requests: storage');
    t.same(
      published.checks.map(({ code, ok }) => [code, ok]),
      [
        ['archive', true],
        ['manifest', true],
        ['engine', true],
        ['permissions', true],
        ['signature', true],
      ],
    );

    const unseen = { code: 'extension_not_found', status: 404 };
    t.same(
      (await bob.client.marketplace.search({ limit: 50, offset: 0, upstream: true })).items,
      [],
      'a search does not find versions under review',
    );
    await t.rejects(bob.client.marketplace.get({ id: 'guest', upstream: true }), unseen);
    await t.rejects(admin.marketplace.install({ id: 'guest', accept_permissions: false }), unseen);
    await t.rejects(admin.marketplace.install({ id: 'guest', version: '1.0.0', accept_permissions: false }), {
      code: 'extension_not_found',
    });

    const name = { id: 'guest', version: '1.0.0' };
    t.match((await admin.marketplace.reviews({ status: 'under_review', limit: 50, offset: 0 })).items, [name]);
    t.match(await admin.marketplace.review(name), {
      ...{ ...name, status: 'under_review', publisher: { member_id: ada.id, username: 'ada' }, reviewed_by: null, compared_with: null },
      ...{ files: [{ name: 'index.cjs' }, { name: 'manifest.json' }], bytes: zip.length, signature_change: 'none' },
      permissions: { added: [{ permission: 'storage', value: 'true' }], removed: [] },
      contributes: {
        operations: ['guest.greet', 'guest.version'],
        for_members: ['guest.version'],
        actions: ['guest.greet'],
        tools: ['guest.greet'],
      },
    });
    t.match(await admin.marketplace.approve(name), { status: 'approved', reviewed_by: { username: 'admin' } });
    t.match(await bob.client.marketplace.get({ id: 'guest', upstream: true }), {
      ...{ ...name, downloads: 0, installed_version: null, content_hash: hashOf(zip), publisher: { username: 'ada' }, source: null },
      versions: [{ version: '1.0.0' }],
    });

    t.equal((await greet()).status, 404);
    t.same(await documented(), []);
    const others = asking(() => fetch(`${url}/api/members`, { headers }));
    t.teardown(() => others.end());
    const started = ownIds();
    const installed = await admin.marketplace.install({ id: 'guest', accept_permissions: false });
    const answered = performance.now();
    t.match(installed, { ...name, type: 'plugin', status: 'installed', permissions: { storage: true }, changed: true, previous: null });
    const answer = await greet();
    t.same([answer.status, await answer.json()], [200, { text: 'Hello Ada' }], 'the plugin has a route');
    t.same(await documented(), ['/api/x/guest/greet', '/api/x/guest/version'], 'the plugin is in the API documentation');
    const catalog = await (await fetch(`${url}/api/catalog`, { headers })).json();
    t.match(JSON.stringify(catalog), /guest\.greet/, 'the plugin has a command');
    t.match(kernel.operations()['guest.greet'], { tool: true, schedulable: true }, 'the plugin has a tool for AI employees');
    const schedule = {
      name: 'Greet',
      trigger_type: 'interval',
      trigger_value: '1h',
      action: 'guest.greet',
      params: { name: 'you' },
    } as const;
    const { id } = await admin.schedules.create(schedule);
    await admin.schedules.run({ id });
    const [run] = await until(
      async () => (await admin.schedules.history({ id, limit: 1, offset: 0 })).items,
      ([first]) => first?.finished_at != null,
    );
    t.match(run, { status: 'success' }, 'the plugin has an action for schedules');
    const took = performance.now() - answered;
    t.ok(took < 1_000, `everything was active ${took.toFixed(0)} ms after the answer`);
    t.match((await admin.marketplace.installed()).items, [
      { ...name, has_update: false, latest_version: '1.0.0', state: 'active', yanked: false },
    ]);

    t.match(await admin.marketplace.install({ id: 'guest', accept_permissions: false }), { ...name, changed: false });
    t.match(await bob.client.marketplace.search({ query: 'GREET guest', limit: 50, offset: 0, upstream: true }), {
      items: [{ ...name, downloads: 1, installed_version: '1.0.0' }],
      total: 1,
      unavailable: [],
    });

    const { contributes } = await admin.plugins.get({ name: 'guest' });
    const uninstalled = await admin.marketplace.uninstall({ id: 'guest', purge: false });
    t.equal((await greet()).status, 404, 'the next request is answered with 404');
    t.same(uninstalled, {
      id: 'guest',
      status: 'uninstalled',
      released: {
        operations: contributes.operations.length,
        actions: contributes.actions.length,
        tools: contributes.tools.length,
        subscriptions: contributes.subscriptions,
        process: 1,
      },
    });
    t.same(uninstalled.released, { operations: 2, actions: 1, tools: 1, subscriptions: 1, process: 1 });
    t.same(await documented(), []);
    t.notOk(kernel.operations()['guest.greet']);
    await t.rejects(admin.schedules.create(schedule), { code: 'action_not_found' });
    await until(ownIds, (found) => found.every((each) => started.includes(each)));
    const statuses = await others.end();
    t.ok(statuses.length > 50, `${statuses.length} concurrent requests to others`);
    t.same([...new Set(statuses)], [200], 'no request to others failed');
    t.same((await admin.marketplace.installed()).items, []);
    await t.rejects(admin.marketplace.uninstall({ id: 'guest', purge: false }), unseen);
    await t.rejects(admin.marketplace.uninstall({ id: 'members', purge: false }), { code: 'extension_required', status: 409 });
  });
});

/** Asks one thing after the other until it is ended; gives the statuses. */
function asking(ask: () => Promise<Response>): { end: () => Promise<number[]> } {
  let ended = false;
  const statuses: number[] = [];
  const work = (async () => {
    while (!ended) {
      const answer = await ask();
      await answer.arrayBuffer();
      statuses.push(answer.status);
    }
  })();
  return {
    async end() {
      ended = true;
      await work;
      return statuses;
    },
  };
}

t.test('the newest approved version is offered as an update, and a yanked one is not', async (t) => {
  await onEach(t, async (t, { platform, admin, ada }) => {
    const versionOf = async () => (await platform.kernel.invoke('guest.version', {}, callerOf())).body;
    const judge = async (version: string) => {
      await publish(ada, plugin(version));
      await admin.marketplace.approve({ id: 'guest', version });
    };
    await judge('1.9.0');
    await admin.marketplace.install({ id: 'guest', accept_permissions: false });
    await judge('1.10.0');
    t.match((await admin.marketplace.installed()).items, [{ version: '1.9.0', has_update: true, latest_version: '1.10.0' }]);
    await judge('1.2.0');
    t.match(await ada.client.marketplace.get({ id: 'guest', upstream: true }), {
      version: '1.10.0',
      installed_version: '1.9.0',
      versions: [{ version: '1.10.0' }, { version: '1.9.0' }, { version: '1.2.0' }],
    });
    t.match(await admin.marketplace.install({ id: 'guest', accept_permissions: false }), {
      version: '1.10.0',
      previous: '1.9.0',
      changed: true,
    });
    t.equal(await versionOf(), '1.10.0');
    t.match(await admin.marketplace.yank({ id: 'guest', version: '1.10.0', reason: 'It loses data' }), {
      status: 'yanked',
      reason: 'It loses data',
    });
    t.equal(await versionOf(), '1.10.0', 'the yanked version still serves');
    t.match((await admin.marketplace.installed()).items, [
      { version: '1.10.0', has_update: false, latest_version: '1.10.0', yanked: true },
    ]);
    await t.rejects(admin.marketplace.install({ id: 'guest', version: '1.10.0', accept_permissions: false }), {
      code: 'version_not_found',
    });
    t.match(await ada.client.marketplace.get({ id: 'guest', upstream: true }), { version: '1.9.0' });
    t.match(await admin.marketplace.install({ id: 'guest', version: '1.2.0', accept_permissions: false }), {
      version: '1.2.0',
      previous: '1.10.0',
    });
    t.equal((await ada.client.marketplace.get({ id: 'guest', upstream: true })).downloads, 3);
  });
});

t.test('a version with more permissions needs their acceptance, and a failed update keeps the old version', async (t) => {
  await onEach(t, async (t, { platform, admin, ada }) => {
    const put = async (zip: Buffer, version: string) => {
      const { checks } = await publish(ada, zip);
      await admin.marketplace.approve({ id: 'guest', version });
      return checks;
    };
    await put(plugin('1.0.0'), '1.0.0');
    await admin.marketplace.install({ id: 'guest', accept_permissions: false });
    const permissions = { storage: true, network: ['example.org'] };
    const checks = await put(plugin('2.0.0', { permissions }), '2.0.0');
    t.match(
      checks.find(({ code }) => code === 'permissions'),
      { ok: false, message: /^Additional permissions compared with version 1\.0\.0: network: example\.org$/ },
    );
    t.match(await admin.marketplace.review({ id: 'guest', version: '2.0.0' }), {
      compared_with: '1.0.0',
      permissions: { added: [{ permission: 'network', value: 'example.org' }], removed: [] },
    });
    await t.rejects(admin.marketplace.install({ id: 'guest', accept_permissions: false }), {
      code: 'permissions_not_accepted',
      status: 409,
      details: [{ path: 'permissions.network', message: 'example.org' }],
    } as unknown as Error);
    t.match((await admin.marketplace.installed()).items, [{ version: '1.0.0', state: 'active' }]);
    t.match(await admin.marketplace.install({ id: 'guest', accept_permissions: true }), { version: '2.0.0', permissions });
    await put(pluginZip({ version: '3.0.0', activate: `throw new Error('It is broken');` }), '3.0.0');
    await t.rejects(admin.marketplace.install({ id: 'guest', accept_permissions: true }), { code: 'extension_failed', status: 502 });
    t.match((await admin.marketplace.installed()).items, [{ version: '2.0.0', state: 'active', has_update: true }]);
    t.equal((await platform.kernel.invoke('guest.version', {}, callerOf())).body, '2.0.0');
    t.equal(
      (await ada.client.marketplace.get({ id: 'guest', upstream: true })).downloads,
      2,
      'a failed installation does not count as a download',
    );
    await put(pluginZip({ version: '4.0.0', engines: { platform: '>=99' } }), '4.0.0');
    await t.rejects(admin.marketplace.install({ id: 'guest', accept_permissions: true }), { code: 'engine_mismatch', status: 409 });
    await put(pluginZip({ version: '5.0.0', dependencies: { absent: '^1.0.0' } }), '5.0.0');
    await t.rejects(admin.marketplace.install({ id: 'guest', accept_permissions: true }), { code: 'dependency_missing', status: 409 });
    const about = async (target: string) => {
      const { body } = await platform.kernel.invoke('audit.list', { target }, callerOf());
      return (body as { operation: string; outcome: string }[]).map(({ operation, outcome }) => `${operation} ${outcome}`);
    };
    t.same((await about('guest')).slice(0, 2), ['marketplace.install success', 'marketplace.install success']);
    t.ok((await about('guest/2.0.0')).includes('marketplace.publish success'));
  });
});
