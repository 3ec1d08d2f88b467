import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { assertEnvironment, loadConfig } from '../../config/load.js';
import { settings } from '../../config/schema.js';
import { type Failure, isFailure } from '../../kernel/contract/failure.js';
import { nearestName } from '../../kernel/contract/nearest.js';
import { nearCases } from './fields/near.js';
import { settingsCases } from './fields/settings.js';

const folder = mkdtempSync(join(tmpdir(), 'fields-'));
t.teardown(() => rmSync(folder, { recursive: true }));

function failureOf(work: () => unknown): Failure | undefined {
  try {
    work();
    return undefined;
  } catch (fault) {
    if (isFailure(fault)) return fault;
    throw fault;
  }
}

t.test('fields of settings are accepted or rejected', async (t) => {
  for (const [at, { name, source, env = {}, file, faults = {}, port }] of settingsCases.entries())
    await t.test(`${name} (${source})`, async (t) => {
      const path = join(folder, `${at}.json`);
      if (file) writeFileSync(path, JSON.stringify(file));
      const load = () => loadConfig({ env, file: file && path });
      const found = failureOf(load)?.details ?? [];
      t.same(found.map((fault) => fault.path).sort(), Object.keys(faults).sort());
      for (const fault of found) t.ok(fault.message.includes(faults[fault.path] ?? ''), fault.message);
      if (port !== undefined) t.equal(load().port, port);
    });
});

t.test('the variable of every setting is known, and the _FILE variable of every secret', async (t) => {
  const all = Object.values(settings).flatMap(({ environment, ...setting }) => [
    environment,
    ...('secret' in setting ? [`${environment}_FILE`] : []),
  ]);
  t.equal(
    failureOf(() => assertEnvironment(Object.fromEntries(all.map((name) => [name, 'x'])))),
    undefined,
  );
});

t.test('unknown settings suggest similar names', async (t) => {
  for (const { name, source, given, known, near } of nearCases)
    await t.test(`${name} (${source})`, async (t) => t.equal(nearestName(given, known), near));
});
