import t from 'tap';
import type { OperationData } from '../../../kernel/contract/index.js';
import { startPlatform } from '../../helpers/platform.js';
import type { Kind } from './kind.js';
import { addressKinds } from './kinds/addresses.js';
import { bodyKinds } from './kinds/bodies.js';
import { headKinds } from './kinds/heads.js';
import { Subject } from './subject.js';
import { faultsOf } from './verdict.js';
import type { World } from './world.js';

const served = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/docs/start.js', '/docs/ui/swagger-ui.css'];
const absent = ['/', '/nothing', '/api', '/api/nothing', '/api/auth/me/nothing', '/docs/nothing', '/docs/%2e%2e/package.json'];

/** These kinds need nothing of a world. */
const world = {} as World;

t.test("the kernel's own paths reject bad requests like operations", async (t) => {
  const { url, lines } = await startPlatform(t);
  const where = { url, secrets: [] };
  for (const path of served) {
    const get = subjectOf(url, 'GET', path);
    for (const kind of [...addressKinds, ...headKinds]) t.same(await faultsOf(kind.of(get, world), where), [], `${path}: ${kind.name}`);
    const post = subjectOf(url, 'POST', path);
    for (const kind of bodyKinds) t.same(await faultsOf(refused(kind, post, 'method_not_allowed'), where), [], `${path}: ${kind.name}`);
  }
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('unknown paths are not found, whatever is sent there', async (t) => {
  const { url } = await startPlatform(t);
  for (const path of absent) {
    const post = subjectOf(url, 'POST', path);
    for (const kind of bodyKinds)
      t.same(await faultsOf(refused(kind, post, 'not_found'), { url, secrets: [] }), [], `${path}: ${kind.name}`);
  }
});

/** System paths, as if they were operations. */
function subjectOf(url: string, method: 'GET' | 'POST', path: string): Subject {
  const input = { type: 'object', properties: {} };
  const operation: OperationData = { summary: '', method, path, who: 'public', kind: 'call', input, status: 200 };
  return new Subject({ id: path, operation, input: {}, asker: 'nobody', token: undefined, host: new URL(url).host });
}

/** The kind's requests, which are refused before anybody looks at what is wrong with them. */
function refused(kind: Kind, subject: Subject, code: string) {
  return kind.of(subject, world).map((bad) => ({ ...bad, code }));
}
