import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import t, { type Test } from 'tap';
import { CommandRunner } from '../../../../extensions/nodes/work/command-runner.js';
import type { NodeUser } from '../../../../extensions/nodes/work/folders.js';
import { killOutside } from '../../../../extensions/nodes/work/killing-outside.js';
import type { NodeContainer } from '../../../../extensions/nodes/work/node-container.js';
import { images } from '../../../helpers/docker/engine.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { ada, bob, Site } from './site.js';

const skip = skipWithout('docker', 'registry');
/** User ids that exhaust their process limit and that no other test uses: the kernel counts processes per user across all engines of a machine. */
const crowds = [0, 1].map((n): NodeUser => ({ member_id: 2_000_000 + 2 * process.pid + n, employee_id: 1 }));
/** Time limit for a command to end on a loaded machine; otherwise it takes a quarter of a second. */
const soon_ms = 10_000;

/** Waits until the container runs a program. */
const runs = (site: Site, place: NodeContainer, wanted: string) =>
  until(
    () => site.programs(place),
    (programs) => programs.some((program) => program.includes(wanted)),
  );

t.test('an aborted command ends with all its processes', { skip }, async (t) => {
  const site = await Site.start(t);
  const place = await site.node();
  await site.run(place, ada, 'true');
  // Busybox's own watchdog of a command that has ended looks once a second.
  await site.idle(place);

  const dies = async (t: Test, command: string, wanted: string) => {
    const giving_up = new AbortController();
    const running = site.run(place, ada, command, { signal: giving_up.signal });
    await runs(site, place, wanted);
    const started = Date.now();
    giving_up.abort();
    t.match(await running, { how: 'abort', exit_code: null }, command);
    const left = await site.idle(place);
    const took = Date.now() - started;
    t.same(left, [], "none of the command's processes is left");
    t.ok(took < soon_ms, `${took} ms`);
  };

  await t.test('a command aborted by its signal ends with all its processes', async (t) => {
    await dies(t, 'sleep 600', 'sleep 600');
    await dies(t, 'trap "" TERM INT HUP; while :; do sleep 600; done', 'sleep 600');
    await dies(t, 'sleep 601 | sleep 602 & sleep 603', 'sleep 603');
  });

  await t.test('processes that left their session, group, parent or environment are killed too', async (t) => {
    await dies(t, 'setsid sleep 611 & sleep 612', 'sleep 612');
    await dies(t, '(setsid sh -c "sleep 621 & exec sleep 622" &) ; sleep 623', 'sleep 623');
    await dies(t, '( (sleep 631 &) & ) ; sleep 632', 'sleep 632');
    await dies(t, 'env -i sleep 641 & env -i setsid sh -c "sleep 642" & sleep 643', 'sleep 643');
  });

  await t.test('a command ends with all its processes at its time-out', async (t) => {
    const started = Date.now();
    const said = await site.run(place, ada, 'echo begun; setsid sleep 651 & sleep 652', { timeout_ms: 1_000 });
    t.match(said, { how: 'timeout', exit_code: null, stdout: 'begun\n' });
    t.ok(Date.now() - started < 1_000 + soon_ms);
    t.same(await site.idle(place), []);
  });

  await t.test('floods of output and of processes are ended too', async (t) => {
    t.match(await site.run(place, ada, 'yes', { timeout_ms: 1_000 }), { how: 'timeout', truncated: true });
    t.same(await site.idle(place), []);
    const bomb = 'bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 600';
    t.match(await site.run(place, crowds[0] as NodeUser, bomb, { timeout_ms: 1_500 }), { how: 'timeout' });
    t.same(await site.idle(place), []);
    t.match(await site.run(place, bob, 'echo alive'), { exit_code: 0, stdout: 'alive\n' });
  });

  await t.test('processes of others are not killed', async (t) => {
    const stay = ['other', 'own'].map((name, n) =>
      site.run(place, n === 0 ? bob : ada, `sleep 66${n}; echo ${name}`, { timeout_ms: 4_000 }),
    );
    await runs(site, place, 'sleep 660');
    await runs(site, place, 'sleep 661');
    await dies_beside(t);
    t.same(
      (await Promise.all(stay)).map(({ how }) => how),
      ['timeout', 'timeout'],
    );
    async function dies_beside(t: Test) {
      await site.run(place, ada, 'sleep 670', { timeout_ms: 500 });
      const left = (await site.programs(place)).filter((program) => /^sleep/.test(program)).sort();
      t.same(left, ['sleep 660', 'sleep 661']);
    }
  });

  await t.test('background processes of a finished command continue', async (t) => {
    t.match(await site.run(place, ada, 'sleep 681 >/dev/null 2>&1 & echo started'), { how: 'exit', stdout: 'started\n' });
    t.ok((await site.programs(place)).includes('sleep 681'));
    await site.run(place, ada, 'pkill sleep');
  });

  for (const [how, message] of [
    ['cut', /cut/],
    ['closed', /ended before the command did/],
  ] as const) {
    await t.test(`a connection that is ${how} ends its command`, async (t) => {
      const place = await site.node();
      const { broken, lose } = breakable(place);
      const running = t.rejects(site.run(broken, ada, 'trap "" TERM HUP; sleep 689 & sleep 690'), { code: 'node_offline', message });
      await runs(site, place, 'sleep 690');
      lose(how);
      await running;
      t.same(await site.idle(place, soon_ms), []);
    });
  }

  await t.test('a command that exits just after its stream keeps its exit code', async (t) => {
    const { broken, lose } = breakable(place);
    const running = site.run(broken, ada, 'echo begun; sleep 2; exit 4', { told: () => lose('closed') });
    t.match(await running, { how: 'exit', exit_code: 4 });
  });

  await t.test('a dead platform leaves nothing that runs forever', async (t) => {
    const execs = new CommandRunner({ fence: site.walls, killer: async () => false, backstop_s: 1 });
    const { broken, die } = breakable(place);
    const command = { argv: ['/bin/sh', '-c', 'trap "" TERM; while :; do sleep 691; done'], folder: '/', timeout_ms: 6_000 };
    const watch = { signal: new AbortController().signal, output: () => undefined };
    const running = t.rejects(execs.runFor(ada, broken, { command, watch }));
    await runs(site, place, 'sleep 691');
    die();
    await running;
    t.ok((await site.programs(place)).includes('sleep 691'), 'the command was not killed');
    await until(
      () => site.programs(place),
      (programs) => !programs.some((program) => program.includes('while :')),
      10_000,
    );
    t.notOk(
      (await site.programs(place)).some((program) => program.includes('while :')),
      'the command ended by itself',
    );
  });

  await t.test("the wait for a command's start is limited", async (t) => {
    const giving_up = new AbortController();
    const { container } = place;
    /** While the engine is asked to start it, it is given up; and then it says nothing. */
    const late = Object.create(container, {
      exec: {
        value: async (options: Docker.ExecCreateOptions) => {
          const own = options.Cmd?.includes('enter');
          const exec = await container.exec(own ? { ...options, Cmd: ['sleep', '692'] } : options);
          if (own) giving_up.abort();
          return exec;
        },
      },
    }) as NodeContainer['container'];
    t.match(await site.run({ ...place, container: late }, ada, 'true', { signal: giving_up.signal }), { how: 'abort' });
    t.notOk((await site.programs(place)).includes('sleep 692'));
  });

  await t.test('two commands that use up all processes of a container are ended', async (t) => {
    const place = await site.node();
    await site.run(place, ada, 'true');
    const bomb = 'bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 600';
    // The second one may find none left for itself.
    const run = (crowd: NodeUser) => site.run(place, crowd, bomb, { timeout_ms: 2_000 }).catch((fault: unknown) => fault);
    const ends = (await Promise.all(crowds.map(run))) as { how?: string; exit_code?: number; code?: string }[];
    for (const { how, exit_code, code } of ends)
      t.ok(how === 'timeout' || exit_code === 2 || code === 'node_busy', `${how} ${exit_code} ${code}`);
    t.ok(ends.some(({ how }) => how === 'timeout'));
    t.same(await site.idle(place), []);
  });

  await t.test('a command that uses up all processes as root is ended', async (t) => {
    const place = await site.node();
    const argv = ['/bin/sh', '-c', '(while :; do sleep 693 & done) 2>/dev/null & exec sleep 694'];
    const watch = { signal: new AbortController().signal, output: () => undefined };
    t.match(await site.execs.run(place, { argv, folder: '/', timeout_ms: 3_000, user: '0:0' }, watch), { how: 'timeout' });
    t.same(await site.idle(place), []);
  });
});

/** A node's place whose connections for commands can be lost; after `die` it begins no more of them, as a platform that has died. */
function breakable(place: NodeContainer): { broken: NodeContainer; lose: (how: 'cut' | 'closed') => void; die: () => void } {
  const streams: Duplex[] = [];
  let is_dead = false;
  const { container } = place;
  const exec = async (options: Docker.ExecCreateOptions) => {
    if (is_dead) throw new Error('dead');
    const made = await container.exec(options);
    const start = async (how: Docker.ExecStartOptions) => {
      const stream = await made.start(how);
      streams.push(stream);
      return stream;
    };
    return Object.create(made, { start: { value: start } }) as Docker.Exec;
  };
  const broken = { ...place, container: Object.create(container, { exec: { value: exec } }) as NodeContainer['container'] };
  const lose = (how: 'cut' | 'closed') =>
    streams.forEach((stream) => void (how === 'cut' ? stream.destroy(new Error('cut')) : stream.push(null)));
  const die = () => {
    is_dead = true;
    lose('cut');
  };
  return { broken, lose, die };
}

t.test('without a shell a program runs and is killed from outside', { skip }, async (t) => {
  const site = await Site.start(t);
  const place = await site.node({ image: images.noshell });
  t.equal(place.node.shell, false);
  await t.rejects(site.run(place, ada, 'ls'), { code: 'no_shell', status: 409 });
  const alone = (argv: string[], timeout_ms: number, user?: string) =>
    site.execs.runAlone(place, { argv, folder: '/', timeout_ms, user }, { signal: new AbortController().signal, output: () => undefined });
  t.match(await alone(['/sleep', '0'], 5_000), { exit_code: 0, how: 'exit' });
  t.match(await alone(['/nothing'], 5_000), { exit_code: 126 });
  for (const user of ['0:0', '1000:1000']) {
    t.match(await alone(['/sleep', '691'], 500, user), { exit_code: null, how: 'timeout' });
    t.notOk((await site.programs(place)).includes('/sleep 691'));
  }
  t.equal((await place.container.inspect()).State.Running, true);
  t.same(
    site.kept.get(1)?.map(({ walls }) => walls),
    [{ fenced: true, reason: '' }],
  );
});

t.test('without a shell and a network a program is killed from outside, or that is reported', { skip }, async (t) => {
  const site = await Site.start(t);
  const place = await site.node({ image: images.noshell, network: 'none' });
  await t.rejects(
    site.docker.getImage(images.busybox).inspect(),
    { statusCode: 404 } as unknown as Error,
    'the helper image was not needed before',
  );
  const command = { argv: ['/sleep', '694'], folder: '/', timeout_ms: 500 };
  const watch = { signal: new AbortController().signal, output: () => undefined };
  t.match(await site.execs.runAlone(place, command, watch), { exit_code: null, how: 'timeout' });
  t.notOk((await site.programs(place)).includes('/sleep 694'));

  const powerless = new CommandRunner({
    fence: site.walls,
    killer: killOutside({ ...site.guard, pull: () => Promise.reject(new Error('absent')) }),
  });
  await t.rejects(powerless.runAlone(place, command, watch), { code: 'command_failed', message: /could not be killed/ });
  t.ok((await site.programs(place)).includes('/sleep 694'));
});
