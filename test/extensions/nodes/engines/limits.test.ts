import { execFile } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, Socket } from 'node:net';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import t, { type Test } from 'tap';
import { Engines } from '../../../../extensions/nodes/engines/engines.js';
import { explain, statusOf } from '../../../../extensions/nodes/engines/failures.js';
import { answerLimit, type Limits, limits } from '../../../../extensions/nodes/engines/limits.js';
import { until } from '../../../helpers/eventually.js';
import { ownCertificate } from '../../../helpers/secure-server.js';

const run = promisify(execFile);

/** An engine that answers as a test wants it; its address. */
async function pretend(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(t: Test, few: Partial<Limits> = {}): (host: string) => Promise<Docker> {
  const engines = new Engines({ local: '', limits: few });
  t.teardown(() => engines.dispose());
  return (host) => engines.at({ host, host_key: '', secrets: {} });
}

/** Answers at once, but for events, which go on. */
const pingAndEvents: RequestListener = (request, response) =>
  void (request.url?.startsWith('/events') ? response.write('\n') : response.end('OK'));

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => t.fail('the request succeeded'),
    (fault: unknown) => fault,
  );
}

t.test('a request to an engine that never answers is given up', async (t) => {
  const docker = await open(t, { ask_ms: 100 })(await pretend(t, () => undefined));
  const fault = await thrownBy(docker.ping());
  t.match(explain(fault, 'tcp://h'), { code: 'engine_unavailable', message: /No answer within 100 ms/ });
});

t.test('an answer that stops half-way is given up', async (t) => {
  const docker = await open(t, { ask_ms: 100 })(await pretend(t, (_request, response) => void response.write('[')));
  t.match(explain(await thrownBy(docker.listContainers()), ''), { code: 'engine_unavailable', message: /No answer within 100 ms/ });
});

t.test('an endless response is truncated', async (t) => {
  let sent = 0;
  const endless: RequestListener = (_request, response) => {
    const more = () => {
      sent += 65_536;
      if (!response.destroyed) response.write(Buffer.alloc(65_536, 32), () => setImmediate(more));
    };
    more();
  };
  const docker = await open(t, { answer_bytes: 1_000_000 })(await pretend(t, endless));
  t.match(explain(await thrownBy(docker.info()), ''), { code: 'engine_error', message: /more than 1000000 bytes/ });
  const at = sent;
  await until(
    () => new Promise((resolve) => setTimeout(() => resolve(sent), 50)),
    (now) => now === sent,
  );
  t.ok(at < 20_000_000, 'the response was truncated soon, and the connection closed');
});

t.test('an endless error response is truncated, also of a stream', async (t) => {
  const docker = await open(t)(
    await pretend(t, (_request, response) => {
      response.writeHead(500);
      response.end(Buffer.alloc(200_000, 120));
    }),
  );
  t.match(explain(await thrownBy(docker.getEvents()), ''), { code: 'engine_error', message: /more than 65536 bytes/ });
});

t.test('redirects are not followed', async (t) => {
  let asked = 0;
  const other = await pretend(t, (_request, response) => {
    asked += 1;
    response.end('OK');
  });
  for (const location of [other.replace('tcp:', 'http:'), 'foo://bar', '//', '/_ping', 'https://h/']) {
    const docker = await open(t)(
      await pretend(t, (_request, response) => {
        response.writeHead(302, { location });
        response.end();
      }),
    );
    t.equal(statusOf(await thrownBy(docker.ping())), 302, location);
  }
  t.equal(asked, 0);
});

t.test('an engine that does not speak HTTP is rejected', async (t) => {
  const server = createTcpServer((socket: Socket) => void socket.on('error', () => undefined).end('SSH-2.0-OpenSSH\r\n')).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const docker = await open(t)(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.match(explain(await thrownBy(docker.ping()), ''), { code: 'engine_error', message: /sent an invalid response/ });
});

t.test('reports a connection timeout as such', async (t) => {
  // Nobody takes connections off this queue, so that the system leaves the last ones unanswered.
  const script =
    'const s=require("net").createServer().listen({port:0,host:"127.0.0.1",backlog:1},()=>{console.log(s.address().port);for(;;);})';
  const child = execFile(process.execPath, ['-e', script]);
  t.teardown(() => child.kill('SIGKILL'));
  const port = await new Promise<string>((resolve) => child.stdout?.once('data', (text) => resolve(String(text).trim())));
  const at = open(t, { connect_ms: 200 });
  const faults = await Promise.all(
    Array.from({ length: 8 }, async () =>
      thrownBy((await at(`tcp://127.0.0.1:${port}`)).listContainers({ abortSignal: AbortSignal.timeout(1_000) })),
    ),
  );
  const told = faults.map((fault) => explain(fault, '').message);
  t.ok(
    told.some((message) => message.includes('No connection within 200 ms')),
    told.join('\n'),
  );
});

t.test('callers can stop waiting', async (t) => {
  const docker = await open(t)(await pretend(t, () => undefined));
  const fault = await thrownBy(docker.listContainers({ abortSignal: AbortSignal.timeout(50) }));
  t.match(fault, { name: /AbortError|TimeoutError/ });
});

t.test('long operations have a longer limit', async (t) => {
  const of = (method: string, path: string) => answerLimit(limits, method, path);
  t.equal(of('GET', '/containers/json'), limits.ask_ms);
  t.equal(of('GET', '/events'), limits.ask_ms);
  t.equal(of('POST', '/containers/x/stop'), limits.change_ms);
  t.equal(of('DELETE', '/containers/x'), limits.change_ms);
  for (const path of ['/images/create', '/containers/x/wait', '/containers/x/archive']) t.equal(of('POST', path), limits.long_ms, path);
});

t.test('the number of engines is limited', async (t) => {
  const hosts = await Promise.all([1, 2, 3].map(() => pretend(t, pingAndEvents)));
  const engines = new Engines({ local: '', limits: { engines: 2 } });
  t.teardown(() => engines.dispose());
  const at = (n: number) => engines.at({ host: hosts[n] ?? '', host_key: '', secrets: {} });

  const first = await at(0);
  await at(1);
  t.equal(await at(0), first);
  await at(2);
  t.equal(engines.size, 2, 'the least recently used client was closed');
  t.equal(await at(0), first, 'the other client is still the same');

  const streams = [await (await at(0)).getEvents(), await (await at(2)).getEvents()];
  const fault = await thrownBy(at(1));
  t.match(explain(fault, ''), { code: 'engine_unavailable', message: '2 engines are in use, which is the limit; try again later' });
  for (const stream of streams) (stream as unknown as Socket).destroy();
  const room = () =>
    at(1).then(
      () => true,
      () => false,
    );
  t.ok(await until(room, Boolean), 'another stream can start once one has ended');
});

t.test('an unused client is closed, but not one with a stream', async (t) => {
  const [host, other] = [await pretend(t, pingAndEvents), await pretend(t, pingAndEvents)];
  const engines = new Engines({ local: '', limits: { idle_ms: 50 } });
  t.teardown(() => engines.dispose());
  const docker = await engines.at({ host, host_key: '', secrets: {} });
  const stream = (await docker.getEvents()) as unknown as Socket;
  await (await engines.at({ host: other, host_key: '', secrets: {} })).ping();
  t.equal(engines.size, 2);
  await until(
    () => engines.size,
    (size) => size === 1,
  );
  t.equal(stream.destroyed, false, 'the more recently used client is kept');
  t.equal(await engines.at({ host, host_key: '', secrets: {} }), docker);
  stream.destroy();
  await until(
    () => engines.size,
    (size) => size === 0,
  );
});

t.test('idle connections are kept alive', async (t) => {
  const asked = t.capture(Socket.prototype, 'setKeepAlive', function (this: Socket) {
    return this;
  });
  const told = () => asked().map(({ args }) => args);
  const docker = await open(t)(await pretend(t, pingAndEvents));
  const stream = (await docker.getEvents()) as unknown as Socket;
  t.same(told(), [[true, 30_000]]);
  stream.destroy();
});

t.test('another secret creates another client, and a failed one is retried', async (t) => {
  const engines = new Engines({ local: '' });
  t.teardown(() => engines.dispose());
  const by = (password: string) => ({ host: 'ssh://u@127.0.0.1', host_key: `SHA256:${'a'.repeat(43)}`, secrets: { ssh: { password } } });
  t.not(await engines.at(by('one')), await engines.at(by('two')));
  await thrownBy(engines.at({ ...by('one'), host: 'nothing' }));
  t.equal(engines.size, 2);
});

t.test('the setting of a misconfigured local engine is named', async (t) => {
  const engines = new Engines({ local: 'ssh://u@h' });
  t.teardown(() => engines.dispose());
  const fault = await thrownBy(engines.at({ host: '', host_key: '', secrets: {} }));
  t.match(fault, { code: 'engine_unavailable', status: 503, message: /PLATFORM_DOCKER_HOST.*host_key/ });
});

t.test('the local engine is reached with the certificates of its folder', async (t) => {
  const { cert, key } = ownCertificate;
  const server = createSecureServer({ cert, key, ca: cert, requestCert: true, rejectUnauthorized: true }, pingAndEvents).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const local = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const here = { host: '', host_key: '', secrets: {} };
  const ping = async (certificates: string) => {
    const engines = new Engines({ local, certificates });
    t.teardown(() => engines.dispose());
    return (await engines.at(here)).ping();
  };
  t.equal((await ping(t.testdir({ 'ca.pem': cert, 'cert.pem': cert, 'key.pem': key }))).toString(), 'OK');
  t.ok(await thrownBy(ping('')), 'without TLS the engine is unreachable');
  const fault = await thrownBy(ping('/nowhere'));
  t.match(fault, { code: 'engine_unavailable', message: /\/nowhere\/ca\.pem \(PLATFORM_DOCKER_CERT_PATH\) can't be read: ENOENT/ });
  const socket = new Engines({ local: 'unix:///nowhere.sock', certificates: '/nowhere' });
  t.teardown(() => socket.dispose());
  t.ok(await socket.at(here), 'a socket needs no certificate');
});

t.test('disposal ends streams and leaves nothing that keeps the process running', async (t) => {
  const host = await pretend(t, pingAndEvents);
  const module = new URL('../../../../extensions/nodes/engines/engines.js', import.meta.url).href;
  const script = `
    const { Engines } = await import('${module}');
    const engines = new Engines({ local: '' });
    const address = { host: '${host}', host_key: '', secrets: {} };
    const docker = await engines.at(address);
    await docker.ping();
    const stream = await docker.getEvents();
    stream.once('close', () => console.log('cut'));
    engines.dispose();
    await engines.at(address).catch((fault) => console.log(fault.code));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
  t.strictSame(stdout.trim().split('\n').sort(), ['cut', 'engine_unavailable']);
});
