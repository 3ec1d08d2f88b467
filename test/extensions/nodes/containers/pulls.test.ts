import type Docker from 'dockerode';
import t from 'tap';
import { type Image, imageOf } from '../../../../extensions/nodes/containers/image.js';
import { Pulls } from '../../../../extensions/nodes/containers/pulls.js';
import type { PullProgress } from '../../../../extensions/nodes/contract.js';
import { images, startDocker } from '../../../helpers/docker/engine.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';

const skip = skipWithout('docker', 'registry');
const hanging = '127.0.0.1:5001/never:latest';

function requestOf(docker: Docker, text: string, signal = new AbortController().signal) {
  const told: PullProgress[] = [];
  const request = {
    docker,
    host: '',
    image: imageOf(text) as Image,
    signal,
    onProgress: (progress: PullProgress) => void told.push(progress),
  };
  return { request, told };
}

t.test('an image is pulled', { skip }, async (t) => {
  const docker = await engineWithHanging();

  await t.test('an image is pulled once for all waiting callers', async (t) => {
    const pulled: string[] = [];
    const events = await docker.getEvents({ filters: { type: ['image'], event: ['pull'] } });
    events.on('data', (chunk: Buffer) => pulled.push(chunk.toString()));
    const pulls = new Pulls();
    const asked = Array.from({ length: 8 }, () => requestOf(docker, images.busybox));
    await Promise.all(asked.map(({ request }) => pulls.ensure(request)));
    await until(
      () => pulled.length,
      (count) => count > 0,
    );
    t.equal(pulled.length, 1);
    t.ok(asked.every(({ told }) => told.at(-1)?.layers_done === 1 && told.at(-1)?.layers === 1));
    await pulls.ensure(requestOf(docker, images.busybox).request);
    t.equal(pulled.length, 1, 'an existing image is not pulled');
    (events as unknown as { destroy(): void }).destroy();
  });

  await t.test('a pull without progress is given up', async (t) => {
    const pulls = new Pulls({ idle_ms: 700 });
    const begun = Date.now();
    const failed = { code: 'image_pull_failed', status: 502, message: /never:latest.*no progress for 0.7 seconds/ };
    await t.rejects(pulls.ensure(requestOf(docker, hanging).request), failed);
    t.ok(Date.now() - begun < 30_000);
    await t.rejects(new Pulls({ total_ms: 500 }).ensure(requestOf(docker, hanging).request), { message: /took longer/ });
  });

  await t.test('a caller that stops waiting does not affect others', async (t) => {
    const pulls = new Pulls({ idle_ms: 2_000 });
    const [first, second] = [new AbortController(), new AbortController()];
    const both = [first, second].map(({ signal }) => pulls.ensure(requestOf(docker, hanging, signal).request));
    const [one, other] = both.map((pull) =>
      pull.then(
        () => 'done',
        (fault: Error) => fault.message,
      ),
    );
    setTimeout(() => first.abort(new Error('I am gone')), 300);
    t.equal(await one, 'I am gone');
    t.match(await other, /no progress/);
  });
});

/** An engine on whose host something listens on port 5001 that never says anything. */
async function engineWithHanging() {
  const engine = await startDocker(t);
  void engine.inside('busybox', 'nc', '-ll', '-p', '5001', '-e', 'sleep', '600').catch(() => undefined);
  await until(
    () => engine.inside('sh', '-c', 'busybox netstat -ltn'),
    (listening) => listening.includes(':5001 '),
  );
  return engine.docker;
}
