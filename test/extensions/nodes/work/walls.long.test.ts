import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import tar from 'tar-stream';
import { CommandRunner } from '../../../../extensions/nodes/work/command-runner.js';
import { accountOf, type NodeUser } from '../../../../extensions/nodes/work/folders.js';
import { framesOf } from '../../../../extensions/nodes/work/frames.js';
import { killOutside } from '../../../../extensions/nodes/work/killing-outside.js';
import type { NodeContainer } from '../../../../extensions/nodes/work/node-container.js';
import { hostAddresses, private_ranges, spareAddress } from '../../../../extensions/nodes/work/walls/ranges.js';
import { missingOf } from '../../../../extensions/nodes/work/walls/report.js';
import { Walls } from '../../../../extensions/nodes/work/walls/walls.js';
import { images } from '../../../helpers/docker/engine.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { Site } from './site.js';

/** Nobody whom other tests know: the kernel counts a member's processes on all engines of a machine together. */
const ada: NodeUser = { member_id: 1_000_000 + process.pid, employee_id: 2 };
const skip = skipWithout('docker', 'registry');
const port = 47_123;

/**
 * Connects to an address and port, and says how that went; with a third argument from a socket that is bound to that
 * interface, as anybody may, for which Linux asks next door where it has no route. With `listen` and a port it is who is reached, with
 * a queue for all who come at once: with that of BusyBox's `nc`, which holds three, the others hear nothing.
 */
const program = `
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int count, char **args) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), fault = 0;
  socklen_t size = sizeof fault;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(args[2]))};
  if (strcmp(args[1], "listen") == 0) {
    if (fcntl(fd, F_SETFL, 0) || bind(fd, (void *)&to, sizeof to) || listen(fd, 64)) return perror("listen"), 1;
    for (;;) close(accept(fd, 0, 0));
  }
  inet_pton(AF_INET, args[1], &to.sin_addr);
  if (count > 3 && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, args[3], strlen(args[3]) + 1)) return puts("unbound"), 1;
  if (connect(fd, (void *)&to, sizeof to) && errno != EINPROGRESS) return puts("refused by the kernel"), 0;
  struct pollfd one = {fd, POLLOUT, 0};
  if (poll(&one, 1, 1500) < 1) return puts("no answer"), 0;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &size);
  return puts(fault == 0 ? "reached" : fault == ECONNREFUSED ? "reached, nobody listens" : "no answer"), 0;
}`;

/** The program, made for containers. */
async function compiled(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-reach-'));
  try {
    await writeFile(join(folder, 'reach.c'), program);
    await promisify(execFile)('cc', ['-static', '-O1', '-o', join(folder, 'reach'), join(folder, 'reach.c')]);
    return await readFile(join(folder, 'reach'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

t.test('a container reaches neither its host nor private addresses', { skip }, async (t) => {
  const site = await Site.start(t);
  const reach = await compiled();
  const put = async ({ container }: Pick<NodeContainer, 'container'>) => {
    const pack = tar.pack();
    pack.entry({ name: 'reach', mode: 0o755 }, reach);
    pack.finalize();
    await container.putArchive(pack as unknown as NodeJS.ReadableStream, { path: '/bin' });
  };
  const place = await site.node();
  const other = await site.node();
  for (const one of [place, other]) await site.join(one);
  const listening = ['reach', 'listen', String(port)];
  for (const one of [place, other]) {
    await put(one);
    await one.container.exec({ Cmd: listening }).then((exec) => exec.start({ Detach: true }));
  }

  const addressOf = async ({ container }: NodeContainer) => Object.values((await container.inspect()).NetworkSettings.Networks)[0]!;
  const own = await addressOf(place);
  const gateway = own.Gateway;
  const others = await addressOf(other);
  // On the engine's host, for all of its addresses; and here, beyond it.
  const host = await site.docker.createContainer({
    Image: images.busybox,
    Cmd: listening,
    HostConfig: { NetworkMode: 'host' },
  });
  await put({ container: host });
  await host.start();
  const beyond = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => beyond.listen(port, site.engine.gateway, resolve));
  t.teardown(() => new Promise((resolve) => beyond.close(resolve)));

  const wanted = {
    gateway,
    "the host's address": site.engine.address,
    "the other's gateway": others.Gateway,
    'the other container': others.IPAddress,
    'this machine': site.engine.gateway,
    metadata: '169.254.169.254',
    'a private address': '10.1.2.3',
  };
  const attempts = Object.values(wanted).flatMap((address) => [`reach ${address} ${port}`, `reach ${address} ${port} eth0`]);
  const script = `${attempts.map((attempt, n) => `echo ${n} "$(${attempt})" &`).join('\n')}\nwait`;
  /** For each what came of a plain socket, and of a bound one. */
  const tried = async (run: (command: string) => Promise<string>) => {
    const lines = (await run(script))
      .trim()
      .split('\n')
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    const results = lines.map((line) => line.replace(/^\d+ /, ''));
    return Object.fromEntries(Object.keys(wanted).map((name, n) => [name, results.slice(2 * n, 2 * n + 2)]));
  };
  const unwalled = async (command: string) => {
    const exec = await place.container.exec({ Cmd: ['sh', '-c', command], AttachStdout: true, User: accountOf(ada).user });
    let said = '';
    for await (const { bytes } of framesOf(await exec.start({ hijack: true }))) said += bytes.toString();
    return said;
  };
  const walled = async (command: string) => (await site.run(place, ada, command)).stdout;
  const reached = (found: Record<string, string[]>) =>
    Object.entries(found)
      .filter(([, how]) => how.some((each) => each.startsWith('reached')))
      .map(([name]) => name);

  await t.test('without walls a container reaches its host and private addresses', async (t) => {
    const found = await tried(unwalled);
    for (const name of ['gateway', "the host's address", "the other's gateway", 'this machine'])
      t.match(found[name]?.[0], /^reached/, name);
    for (const name of ['gateway', "the host's address"]) t.match(found[name]?.[1], /^reached/, `${name}, by a bound socket`);
  });

  const nothing = async (t: Test) => {
    const found = await tried(walled);
    t.same(reached(found), [], JSON.stringify(found));
    t.equal(found.gateway?.[0], 'refused by the kernel');
    t.same(Object.keys(found), Object.keys(wanted));
  };

  await t.test('with walls a container reaches none of them, whatever its sockets are bound to', async (t) => {
    await nothing(t);
    t.same(
      site.kept.get(1)?.map(({ walls }) => walls),
      [{ fenced: true, reason: '' }],
    );
    await site.run(place, ada, 'true');
    t.equal(site.kept.get(1)?.length, 1, 'the walls are set once');
    t.same((await site.docker.listContainers({ all: true, filters: { label: ['platform.role=guard'] } })).length, 0);
  });

  await t.test('walls hold for root too, which the member never becomes', async (t) => {
    const watch = { signal: new AbortController().signal, output: () => undefined };
    const as_root = (argv: string[]) => site.execs.run(place, { argv, folder: '/', timeout_ms: 5_000, user: '0:0' }, watch);
    t.not((await as_root(['ip', 'route', 'del', 'prohibit', '10.0.0.0/8'])).exit_code, 0);
    t.not((await as_root(['arp', '-i', 'eth0', '-s', gateway, '02:42:ac:11:00:99'])).exit_code, 0);
    t.not((await as_root(['sh', '-c', 'echo 3 >/proc/sys/net/ipv4/neigh/eth0/mcast_solicit'])).exit_code, 0);
    await nothing(t);
  });

  await t.test('walls hold after a restart, whoever caused it', async (t) => {
    await place.container.restart({ t: 0 });
    const before = await tried(unwalled);
    t.ok(reached(before).includes('gateway'), 'a restart removes the walls');
    await nothing(t);
    t.equal(site.kept.get(1)?.length, 2);
    t.equal(site.kept.get(1)?.[1]?.started_at, (await place.container.inspect()).State.StartedAt);
  });

  await t.test('outgoing connections still work', async (t) => {
    const { stdout } = await site.run(place, ada, 'ip route get 1.1.1.1');
    t.match(stdout, new RegExp(`1\\.1\\.1\\.1 via ${spareAddress(own.IPAddress, own.IPPrefixLen).replaceAll('.', '\\.')} dev eth0`));
    // An address that is neither private nor the host's as anybody knows it, behind the same next hop.
    await site.engine.inside('ip', 'address', 'add', '45.45.45.45/32', 'dev', 'lo');
    t.match(await walled(`reach 45.45.45.45 ${port}`), /^reached/);
  });

  await t.test('concurrent commands wait for the same walls', async (t) => {
    await other.container.restart({ t: 0 });
    const ends = await Promise.all(Array.from({ length: 8 }, () => site.run(other, ada, 'true')));
    t.same(
      ends.map(({ exit_code }) => exit_code),
      Array.from({ length: 8 }, () => 0),
    );
    t.equal(site.kept.get(2)?.length, 1);
  });
});

t.test("a node without a network needs no walls, and one that can't have walls reports so", { skip }, async (t) => {
  const site = await Site.start(t);
  const alone = await site.node({ network: 'none' });
  t.match(await site.run(alone, ada, 'ip -o address | cut -d" " -f2'), { exit_code: 0, stdout: 'lo\n' });
  await site.walls.ensure(alone);
  t.same(
    site.kept.get(1)?.map(({ walls }) => walls),
    [{ fenced: true, reason: '' }],
  );

  const bare = await site.node();
  await site.docker
    .createImage({ fromImage: images.noshell })
    .then((stream) => new Promise((resolve) => site.docker.modem.followProgress(stream, resolve)));
  const crippled = new Walls({
    local: '',
    image: images.noshell,
    labels: () => ({ 'platform.role': 'guard' }),
    join: (place) => site.join(place),
    pull: async () => undefined,
    keep: async (id, state) => void site.kept.set(id, [...(site.kept.get(id) ?? []), state]),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  await crippled.setUp(bare);
  t.match(site.kept.get(2), [{ walls: { fenced: false, reason: /can't set its routes.*\/bin\/sh/ } }]);
  t.equal(crippled.expected(bare), false, 'a node that cannot have walls does not require them');
  await crippled.ensure(bare);
  t.equal(site.kept.get(2)?.length, 1, 'the walls are not tried again at once');
  await bare.container.restart({ t: 0 });
  const { StartedAt: started_at } = (await bare.container.inspect()).State;
  t.equal(crippled.expected({ ...bare, node: { ...bare.node, started_at } }), true, 'walls are required again after another start');
  await crippled.ensure(bare);
  t.equal(site.kept.get(2)?.length, 2);
});

t.test('faulty walls are set up again', { skip }, async (t) => {
  const site = await Site.start(t);
  const place = await site.node();
  const reasons = () => site.kept.get(place.node.id)?.map(({ walls: { reason } }) => reason);
  const using = (more: Partial<Site['guard']>) => {
    const walls = new Walls({ ...site.guard, retry_ms: 700, ...more });
    const execs = new CommandRunner({ fence: walls, killer: killOutside(site.guard) });
    const command = { argv: ['true'], folder: '/', timeout_ms: 10_000 };
    const run = () => execs.run(place, command, { signal: new AbortController().signal, output: () => undefined });
    return { walls, run };
  };
  const due = (walls: Walls) =>
    until(
      () => walls.isDue(place),
      (is_due) => is_due,
    );

  await t.test('incomplete walls are set up again', async (t) => {
    const { walls, run } = using({});
    await site.join(place);
    const { Networks } = (await place.container.inspect()).NetworkSettings;
    const way = (what: string) => {
      const route = ['ip', 'route', what, 'default', 'via', Object.values(Networks)[0]!.Gateway, 'dev', 'eth0', 'metric', '7'];
      return asRootOfNetwork(site, place, route);
    };
    await way('add');
    t.match(await run(), { exit_code: 0 });
    t.same(reasons(), ['the default route leads elsewhere']);
    t.match(await run(), { exit_code: 0 });
    t.equal(reasons()?.length, 1, 'the walls are not set again at once');
    await way('del');
    await due(walls);
    t.match(await run(), { exit_code: 0 });
    t.same(reasons(), ['the default route leads elsewhere', '']);
  });

  await t.test("walls that only the node's own image confirms do not count as verified", async (t) => {
    await place.container.restart({ t: 0 });
    site.kept.clear();
    let absent = true;
    const { walls, run } = using({ pull: async () => (absent ? Promise.reject(new Error('absent')) : undefined) });
    t.match(await run(), { exit_code: 0 });
    t.match(site.kept.get(place.node.id), [{ walls: { fenced: false, reason: 'they were only checked by its own image' } }]);
    t.equal(walls.expected(place), true, 'the walls were set nevertheless, and are required');
    absent = false;
    await due(walls);
    await run();
    t.equal(site.kept.get(place.node.id)?.at(-1)?.walls.fenced, true);
  });

  await t.test('walls need a known host address', async (t) => {
    site.kept.clear();
    const nameless = { ...place, node: { ...place.node, host: 'tcp://name.invalid:2376' } };
    await using({}).walls.setUp(nameless);
    t.match(site.kept.get(place.node.id), [{ walls: { fenced: false, reason: "its engine's host can't be resolved" } }]);
  });

  await t.test('a temporary fault does not lift the requirement for walls', async (t) => {
    await place.container.restart({ t: 0 });
    site.kept.clear();
    const { walls, run } = using({});
    const { docker } = place;
    const busy = Object.assign(new Error('context deadline exceeded'), { statusCode: 500 });
    place.docker = Object.create(docker, { createContainer: { value: () => Promise.reject(busy) } }) as NodeContainer['docker'];
    await t.rejects(run(), { code: 'engine_error' });
    t.equal(walls.expected(place), true);
    t.equal(site.kept.size, 0);
    place.docker = docker;
    t.match(await run(), { exit_code: 0 });
    t.equal(site.kept.get(place.node.id)?.at(-1)?.walls.fenced, true);
  });
});

/** Does something to a container's network that nothing in it could do. */
async function asRootOfNetwork({ docker }: Site, { container }: NodeContainer, Cmd: string[]): Promise<void> {
  const HostConfig = { NetworkMode: `container:${container.id}`, CapAdd: ['NET_ADMIN'] };
  const helper = await docker.createContainer({ Image: images.busybox, Cmd, User: '0:0', HostConfig });
  await helper.start();
  const { StatusCode } = (await helper.wait()) as { StatusCode: number };
  await helper.remove();
  if (StatusCode !== 0) throw new Error(`${Cmd.join(' ')} ended with ${StatusCode}`);
}

t.test("the kernel's rules are compared with the planned ones", async (t) => {
  const plan = { gateway: '172.18.0.1', hop: '172.18.255.254', refused: ['10.0.0.0/8', '172.18.0.1/32', '0.0.0.0/8'] };
  const lines = [
    'solicit 0',
    'route Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'route eth0\t00000000\tFEFF12AC\t0003\t0\t0\t0\t00000000\t0\t0\t0',
    'route eth0\t000012AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
    'route *\t00000000\t00000000\t0201\t0\t0\t0\t000000FF\t0\t0\t0',
    'route *\t0000000A\t00000000\t0201\t0\t0\t0\t000000FF\t0\t0\t0',
    'route *\t010012AC\t00000000\t0205\t0\t0\t0\tFFFFFFFF\t0\t0\t0',
    'neighbour IP address       HW type     Flags       HW address            Mask     Device',
    'neighbour 172.18.0.1       0x1         0x6         02:00:00:00:00:00     *        eth0',
    'neighbour 172.18.255.254   0x1         0x6         02:42:1a:ea:de:79     *        eth0',
    'six 00000000000000000000000000000001 01 80 10 80       lo',
  ];
  const found = (change: (lines: string[]) => string[]) => missingOf(change([...lines]).join('\n'), plan);
  const replaced = (from: string, to: string) => found((all) => all.map((line) => line.replace(from, to)));
  t.equal(
    found((all) => all),
    undefined,
  );
  t.match(replaced('solicit 0', 'solicit 3'), /searches for other hosts/);
  t.match(replaced('0000000A\t00000000\t0201', '0000000A\t00000000\t0001'), /10\.0\.0\.0\/8 is not refused/);
  t.match(
    found((all) => all.filter((line) => !line.includes('010012AC'))),
    /172\.18\.0\.1\/32/,
  );
  t.match(replaced('FEFF12AC', '010012AC'), /leads elsewhere/);
  t.match(replaced('02:00:00:00:00:00', '02:42:1a:ea:de:79'), /172\.18\.0\.1 is known/);
  t.match(
    found((all) => [...all, 'neighbour 192.0.2.2 0x1 0x2 02:42:1a:ea:de:79 * eth0']),
    /192\.0\.2\.2 is known/,
  );
  t.match(
    found((all) => all.filter((line) => !line.startsWith('neighbour 172.18.0.1 '))),
    /gateway/,
  );
  t.match(
    found((all) => [...all, 'six fe800000000000000042acfffe120002 0b 40 20 80 eth0']),
    /IPv6/,
  );
  t.match(missingOf('', plan), /searches for other hosts/);
});

t.test('spare and host addresses are derived correctly', async (t) => {
  t.equal(spareAddress('172.18.0.2', 16), '172.18.255.254');
  t.equal(spareAddress('10.224.0.18', 28), '10.224.0.30');
  t.equal(spareAddress('192.168.200.130', 25), '192.168.200.254');
  t.same(await hostAddresses('tcp://198.51.100.7:2376', ''), ['198.51.100.7']);
  t.same(await hostAddresses('ssh://root@198.51.100.7', ''), ['198.51.100.7']);
  t.equal(await hostAddresses('tcp://name.invalid:2376', ''), undefined, 'an unknown address is not the same as none');
  const here = (await hostAddresses('', 'unix:///var/run/docker.sock')) ?? [];
  t.ok(here.length > 0 && !here.includes('127.0.0.1'));
  t.same(await hostAddresses('', 'tcp://198.51.100.7:2376'), [...here, '198.51.100.7'], 'the local engine may be elsewhere');
  t.equal(await hostAddresses('', 'tcp://name.invalid:2376'), undefined);
  t.equal(new Set(private_ranges).size, private_ranges.length);
});
