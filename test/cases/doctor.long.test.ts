import t from 'tap';
import type { CheckRecord } from '../../kernel/contract/system.js';
import { startWorld } from '../extensions/nodes/world.js';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { callerOf } from '../helpers/platform.js';

t.test("no node's check is green while its engine is red", { skip: skipWithout('docker', 'registry'), timeout: 120_000 }, async (t) => {
  const { engine, admin, platform } = await startWorld(t);
  await admin.nodes.create({ name: 'box', respond_async: false });
  const checks = async () => {
    const all = (await platform.kernel.invoke('checks.list', {}, callerOf())).body as CheckRecord[];
    return Object.fromEntries(all.filter(({ extension }) => extension === 'nodes').map((check) => [check.code, check]));
  };
  t.match(await checks(), { engine: { ok: true }, nodes: { ok: true } });
  await engine.kill();
  const red = await until(checks, ({ engine }) => engine?.ok === false);
  t.match(red.nodes, { ok: false, message: /'box' \(1\) is offline: .*engine/, fix: /start docker/ });
  t.notOk(Object.values(red).some(({ code, ok }) => ok && code === 'engine_clock'));
  await engine.start();
  await until(checks, ({ nodes }) => nodes?.ok === true);
});
