import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { isFailure } from '../../kernel/contract/index.js';
import { clientOf } from '../extensions/nodes/world.js';
import { ownExtension, startPlatform, temporaryFolder } from '../helpers/platform.js';
import { type PullCase, pullCases, referenceCases } from './pulls/cases.js';

let pull: Pick<PullCase, 'says' | 'refusal'> = {};
let asked = '';

/** An engine that has no image, and whose registry fails. */
function answer({ url = '', method }: IncomingMessage, response: ServerResponse): void {
  const json = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (url.includes('/_ping')) response.end('OK');
  else if (url.includes('/info')) json(200, { NCPU: 8 });
  else if (method === 'POST' && url.includes('/images/create')) {
    asked = new URL(url, 'http://engine').searchParams.get('fromImage') ?? '';
    if (pull.refusal) json(pull.refusal.status, { message: pull.refusal.message });
    else json(200, { error: pull.says ?? 'unknown', errorDetail: { message: pull.says } });
  } else if (url.includes('/images/')) json(404, { message: 'No such image' });
  else if (/\/(?:containers|networks)/.test(url)) json(200, []);
  else json(200, { Volumes: [] });
}

const socket = join(await temporaryFolder(t), 'docker.sock');
const server = createServer(answer);
await new Promise<void>((resolve) => server.listen(socket, resolve));
t.teardown(() => {
  server.close();
  server.closeAllConnections();
});
const platform = await startPlatform(t, {
  extensions: ['members', 'nodes'].map(ownExtension),
  settings: { docker_host: `unix://${socket}` },
});
const { nodes } = clientOf(platform);

for (const { name, image = 'acme/work:2', advice, ...given } of pullCases)
  t.test(name, async (t) => {
    pull = given;
    const making = nodes.create({ name: 'box', config: { image }, respond_async: false });
    await t.rejects(making, { code: 'image_pull_failed', message: advice });
    t.equal((await nodes.list({ limit: 1, offset: 0 })).total, 0, 'nothing is left behind');
  });

for (const { name, image, taken } of referenceCases)
  t.test(`a reference with ${name}`, async (t) => {
    [pull, asked] = [{ says: 'manifest unknown' }, ''];
    const fault: unknown = await nodes.create({ name: 'box', config: { image }, respond_async: false }).catch((thrown: unknown) => thrown);
    t.ok(isFailure(fault) && fault.code === (taken ? 'image_pull_failed' : 'invalid_input'), String(fault));
    t.equal(asked !== '', taken);
  });
