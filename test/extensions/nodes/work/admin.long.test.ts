import t, { type Test } from 'tap';
import tar from 'tar-stream';
import type { MembersApi } from '../../../../extensions/members/contract.js';
import type { NodesApi } from '../../../../extensions/nodes/contract.js';
import { framesOf } from '../../../../extensions/nodes/work/frames.js';
import { connect } from '../../../../kernel/client/connect.js';
import { http } from '../../../../kernel/client/http.js';
import type { StreamEvent } from '../../../../kernel/contract/index.js';
import { images } from '../../../helpers/docker/engine.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { adminPassword, callerOf } from '../../../helpers/platform.js';
import { clientOf, type NodesClient, startWorld, type World } from '../world.js';

const skip = skipWithout('docker', 'registry');

/** Both ways to the platform, as the administrator. */
async function ways({ platform, admin }: World): Promise<{ direct: NodesClient; http: NodesClient; token: string }> {
  const answer = await fetch(`${platform.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { direct: admin, http: connect<NodesApi & MembersApi>(platform.kernel.operations(), http({ url: platform.url, token })), token };
}

async function all(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const found: StreamEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

const textOf = (events: readonly StreamEvent[], stream: string) =>
  events
    .map(({ type, data }) => (type === 'output' && (data as { stream: string }).stream === stream ? (data as { delta: string }).delta : ''))
    .join('');

t.test('administrators work in containers', { skip }, async (t) => {
  const world = await startWorld(t);
  const { admin, docker, platform } = world;
  const { id, container_id } = await admin.nodes.create({ name: 'box', respond_async: false });
  const container = docker.getContainer(container_id ?? '');
  const both = await ways(world);
  const programs = async () => ((await container.top()) as { Processes: string[][] }).Processes.map((each) => each.at(-1) ?? '');
  const gone = (t: Test, program: string) =>
    t.resolves(
      until(programs, (found) => !found.some((each) => each.includes(program))),
      `${program} is gone`,
    );

  await t.test('a created node has walls', async (t) => {
    await becomes(t, async () => (await admin.nodes.get({ id })).walls, { fenced: true, reason: '' }, 20_000);
  });

  for (const way of ['direct', 'http'] as const) {
    const client = both[way];
    await t.test(`commands run, ${way}`, async (t) => {
      const events = await all(
        client.nodes.exec({
          id,
          command: 'echo out; echo err >&2; pwd; id -u; echo "$GIVEN"; exit 4',
          env: { GIVEN: 'a b' },
          timeout_s: 20,
        }),
      );
      t.equal(textOf(events, 'stdout'), 'out\n/workspace\n0\na b\n');
      t.equal(textOf(events, 'stderr'), 'err\n');
      t.match(events.at(-2), { type: 'exit', data: { exit_code: 4, timed_out: false, truncated: false, duration_ms: Number } });
      t.same(events.at(-1), { type: 'done', data: {} });
      const program = await all(
        client.nodes.exec({ id, command: ['printf', '%s', '$HOME;é'], user: 'nobody', cwd: '/tmp', timeout_s: 20 }),
      );
      t.equal(textOf(program, 'stdout'), '$HOME;é');
    });

    await t.test(`a large output is complete, ${way}`, async (t) => {
      let length = 0;
      for await (const { type, data } of client.nodes.exec({ id, command: 'head -c 20000000 /dev/zero', timeout_s: 60 })) {
        if (type === 'output') length += (data as { delta: string }).delta.length;
        if (type === 'exit') t.match(data, { exit_code: 0, truncated: false });
      }
      t.equal(length, 20_000_000);
      for await (const _event of client.nodes.exec({ id, command: 'yes 731', timeout_s: 60 })) break;
      await gone(t, 'yes 731');
    });

    await t.test(`a stream that does not start fails instead, ${way}`, async (t) => {
      const refused = (input: object, wanted: { code: string; [key: string]: unknown }) =>
        t.rejects(all(client.nodes.exec({ id, command: 'ls', timeout_s: 5, ...input })), wanted);
      await refused({ cwd: '/nowhere' }, { code: 'invalid_input', status: 400, details: [{ path: 'cwd' }] });
      await refused({ user: 'somebody' }, { code: 'invalid_input', status: 400, details: [{ path: 'user' }] });
      await refused({ env: { 'A=B': 'x' } }, { code: 'invalid_input', status: 400, details: [{ path: 'env' }] });
      await refused({ id: 99 }, { code: 'node_not_found', status: 404 });
      await refused({ timeout_s: 3_601 }, { code: 'invalid_input' });
    });

    await t.test(`a timeout and a leaving reader end the command, ${way}`, async (t) => {
      const timed = await all(client.nodes.exec({ id, command: 'setsid sleep 711 & sleep 712', timeout_s: 1 }));
      t.match(timed, [{ type: 'exit', data: { exit_code: null, timed_out: true } }, { type: 'done' }]);
      await gone(t, 'sleep 71');
      for await (const event of client.nodes.exec({ id, command: 'echo begun; setsid sleep 721 & sleep 722', timeout_s: 60 })) {
        t.match(event, { type: 'output', data: { stream: 'stdout', delta: 'begun\n' } });
        break;
      }
      await gone(t, 'sleep 72');
    });

    await t.test(`files are read and written, ${way}`, async (t) => {
      const bytes = await packed('folder/note.txt', 'written by tar');
      t.same(await client.nodes.files_put({ id, path: '/workspace', file: { name: 'a.tar', bytes } } as never), {
        path: '/workspace',
        bytes: bytes.length,
      });
      const { mime_type, bytes: got } = await client.nodes.files_get({ id, path: '/workspace/folder' });
      t.equal(mime_type, 'application/x-tar');
      t.same(await namesIn(got), ['folder/', 'folder/note.txt=written by tar']);
      const missing = { code: 'path_not_found', status: 404 };
      await t.rejects(client.nodes.files_get({ id, path: '/nothing' }), missing);
      await t.rejects(client.nodes.files_put({ id, path: '/nothing', file: { name: 'a.tar', bytes } } as never), missing);
      await t.rejects(
        client.nodes.files_put({ id, path: '/workspace', file: { name: 'a.tar', bytes: Buffer.from('nonsense'.repeat(100)) } } as never),
        { code: 'malformed_request', status: 400 },
      );
    });
  }

  await t.test('a tar file is the body itself', async (t) => {
    const headers = { authorization: `Bearer ${both.token}`, 'content-type': 'application/x-tar' };
    const url = `${platform.url}/api/remote-nodes/${id}/files?path=/workspace`;
    const put = await fetch(url, { method: 'PUT', headers, body: await packed('raw.txt', 'raw') });
    t.equal(put.status, 200);
    const got = await fetch(`${platform.url}/api/remote-nodes/${id}/files?path=/workspace/raw.txt`, { headers });
    t.equal(got.headers.get('content-type'), 'application/x-tar');
    t.same(await namesIn(Buffer.from(await got.arrayBuffer())), ['raw.txt=raw']);
  });

  await t.test('oversized input is rejected before it is read completely', async (t) => {
    await all(admin.nodes.exec({ id, command: 'dd if=/dev/zero of=/tmp/large bs=1M count=80', timeout_s: 30 }));
    await t.rejects(admin.nodes.files_get({ id, path: '/tmp/large' }), { code: 'payload_too_large', status: 413 });
    await all(admin.nodes.exec({ id, command: 'rm /tmp/large', timeout_s: 30 }));
  });

  await t.test("a schedule's command fails with its exit code", async (t) => {
    const scheduled = clientOf(platform, callerOf({ door: 'schedule' }));
    const seen: StreamEvent[] = [];
    const read = async (command: string, timeout_s = 20) => {
      for await (const event of scheduled.nodes.exec({ id, command, timeout_s })) seen.push(event);
    };
    await t.rejects(read('echo before; exit 5'), { code: 'command_failed', message: 'The command ended with exit code 5' });
    t.match(seen, [{ data: { delta: 'before\n' } }, { type: 'exit', data: { exit_code: 5 } }]);
    await t.rejects(read('sleep 731', 1), { code: 'command_failed', message: /1 s/ });
    await read('true');
    t.equal(seen.at(-1)?.type, 'done');
  });

  await t.test('walls are set again after a container was started from outside', async (t) => {
    const solicits = async () => {
      const exec = await container.exec({ Cmd: ['cat', '/proc/sys/net/ipv4/neigh/eth0/mcast_solicit'], AttachStdout: true });
      let said = '';
      for await (const { bytes } of framesOf(await exec.start({ hijack: true }))) said += bytes.toString();
      return said.trim();
    };
    t.equal(await solicits(), '0');
    await container.restart({ t: 0 });
    await becomes(t, solicits, '0', 15_000);
  });

  await t.test('members may not run commands, read logs or transfer files', async (t) => {
    const ada = clientOf(platform, callerOf({ member_id: 2, username: 'ada', role: 'member' }));
    const forbidden = { code: 'forbidden' };
    await t.rejects(all(ada.nodes.exec({ id, command: 'ls', timeout_s: 5 })), forbidden);
    await t.rejects(all(ada.nodes.logs({ id, tail: 1, follow: false })), forbidden);
    await t.rejects(ada.nodes.files_get({ id, path: '/workspace' }), forbidden);
    await t.rejects(
      ada.nodes.files_put({ id, path: '/workspace', file: { name: 'a.tar', bytes: Buffer.alloc(1_024) } } as never),
      forbidden,
    );
  });
});

t.test('streams the output of a container’s own program', { skip }, async (t) => {
  const world = await startWorld(t);
  const { admin, docker } = world;
  const { id, container_id } = await admin.nodes.create({ name: 'box', respond_async: false });
  const container = docker.getContainer(container_id ?? '');
  const say = async (line: string, to = 1) => {
    // To the outputs of the program that keeps the container.
    const exec = await container.exec({
      Cmd: ['sh', '-c', `p=$(pidof sleep | tr " " "\\n" | head -1); echo "${line}" > /proc/$p/fd/${to}`],
      AttachStdout: true,
    });
    for await (const _chunk of await exec.start({ hijack: true }));
  };
  for (let n = 1; n <= 3; n += 1) await say(`line ${n}`, n === 2 ? 2 : 1);
  const both = await ways(world);
  for (const way of ['direct', 'http'] as const) {
    const client = both[way];
    const lines = await all(client.nodes.logs({ id, tail: 10, follow: false }));
    t.match(
      lines,
      [
        { type: 'log', id: String, data: { stream: 'stdout', delta: 'line 1\n', at: /^\d{4}-.*Z$/ } },
        { type: 'log', data: { stream: 'stderr', delta: 'line 2\n' } },
        { type: 'log', data: { stream: 'stdout', delta: 'line 3\n' } },
        { type: 'done', data: {} },
      ],
      way,
    );
    const read = async (query: object) =>
      (await all(client.nodes.logs({ id, tail: 10, follow: false, ...query }))).map(({ data }) => (data as { delta?: string }).delta);
    t.same(await read({ tail: 1 }), ['line 3\n', undefined]);
    t.same(await read({ tail: 0 }), [undefined]);
    t.same(await read({ after: lines[0]?.id, tail: 0 }), ['line 2\n', 'line 3\n', undefined], 'the log continues after the last line read');
    t.same(await read({ since: new Date(Date.now() + 60_000).toISOString() }), [undefined]);
    await t.rejects(all(client.nodes.logs({ id: 99, tail: 1, follow: false })), { code: 'node_not_found', status: 404 });
  }
  const followed: string[] = [];
  const following = (async () => {
    for await (const { data } of both.http.nodes.logs({ id, tail: 1, follow: true }))
      followed.push((data as { delta?: string }).delta ?? 'done');
  })();
  await until(
    () => followed.length,
    (count) => count === 1,
  );
  await say('line 4');
  await until(
    () => followed.length,
    (count) => count === 2,
  );
  await container.stop({ t: 0 });
  await following;
  t.same(followed, ['line 3\n', 'line 4\n', 'done']);
});

t.test('an image without a shell runs programs, but no scripts', { skip }, async (t) => {
  const { admin } = await startWorld(t, { settings: { 'nodes.image': images.noshell } });
  const node = await admin.nodes.create({ name: 'bare', respond_async: false });
  t.equal(node.shell, false);
  const { id } = node;
  await becomes(t, async () => (await admin.nodes.get({ id })).walls, { fenced: true, reason: '' }, 20_000);
  await t.rejects(all(admin.nodes.exec({ id, command: 'ls', timeout_s: 5 })), { code: 'no_shell', status: 409 });
  t.match(await all(admin.nodes.exec({ id, command: ['/sleep', '0'], cwd: '/', timeout_s: 5 })), [
    { type: 'exit', data: { exit_code: 0 } },
    { type: 'done' },
  ]);
  const timed = await all(admin.nodes.exec({ id, command: ['/sleep', '741'], cwd: '/', timeout_s: 1 }));
  t.match(timed, [{ type: 'exit', data: { exit_code: null, timed_out: true } }, { type: 'done' }]);
});

/** A tar file with one file. */
async function packed(name: string, content: string): Promise<Buffer> {
  const pack = tar.pack();
  pack.entry({ name }, content);
  pack.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of pack) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The entries of a tar file, files with their content. */
async function namesIn(bytes: Buffer): Promise<string[]> {
  const extract = tar.extract();
  extract.end(bytes);
  const found: string[] = [];
  for await (const entry of extract) {
    const content: Buffer[] = [];
    for await (const chunk of entry) content.push(chunk as Buffer);
    found.push(entry.header.type === 'file' ? `${entry.header.name}=${Buffer.concat(content).toString()}` : entry.header.name);
  }
  return found;
}
