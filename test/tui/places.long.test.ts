import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Shell, shellFor } from '../cli/shell.js';
import { images, startDocker } from '../helpers/docker/engine.js';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import { Screen } from './screen.js';

/** Runs a command that must succeed. */
async function done(t: Test, shell: Shell, args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await shell.run(args, input);
  t.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** A schedule, and a plugin that waits for its review. */
async function fill(t: Test, shell: Shell): Promise<void> {
  const ping = ['schedule', 'create', 'Ping', 'interval', '15m', 'http.request', '--params', '{"url":"http://nowhere..example/"}'];
  await done(t, shell, ping);
  const folder = join(shell.env.HOME ?? '', 'acme.greetings');
  await done(t, shell, ['extension', 'new', folder]);
  await done(t, shell, ['extension', 'pack', folder, '--out', `${folder}.zip`]);
  await done(t, shell, ['extension', 'publish', `${folder}.zip`, '--no-sign']);
}

/** Steps of an administrator in the panels of schedules, notifications and extensions. */
async function visit(t: Test, shell: Shell, note: string): Promise<void> {
  await done(t, shell, ['notification', 'send', note, 'The table is booked.']);
  const screen = await Screen.open(t, shell, { args: ['tui', 'schedules'] });
  await screen.shows(/> +1 +Ping +15m +http\.request +in \d+ min/);
  await screen.keys('r');
  await screen.shows('Run Ping now?');
  await screen.keys('y');
  await screen.shows(/Ping .* failed/);
  await screen.keys('Enter');
  await screen.shows(/> +\d+ +failed/);
  t.match((await screen.lines()).join('\n'), 'http.request {"url":"http://nowhere..example/"}');
  await screen.keys('Escape');
  await screen.shows('NEXT RUN');
  await screen.go('journal');
  await screen.shows(/schedule\.run .*status=failed/);
  await screen.go('audit');
  await screen.shows(/admin +schedules\.run +1 +success/);
  await screen.keys('Enter');
  await screen.shows(/Operation +schedules\.run/);
  await screen.go('notifications');
  await screen.shows(new RegExp(`\\* .* ${note}`));
  await screen.keys('/');
  await screen.shows('/_');
  await screen.type(note);
  await screen.keys('Enter');
  await screen.shows(`/${note}  1 of`);
  await screen.keys('Enter');
  await screen.shows('The table is booked.');
  await screen.keys('Escape');
  await screen.shows(`/${note}  1 of`);
  await screen.keys('r');
  await screen.shows('mark read: done');
  await screen.go('marketplace');
  await screen.shows(/> +\S+ +0\.1\.0 +active/);
  await screen.keys('i');
  await screen.shows(/> +acme\.greetings +0\.1\.0 +plugin/);
  await screen.keys('Enter');
  const lines = await screen.shows(/acme\.greetings\.greet/);
  t.equal(lines.length, 24);
  t.match(lines[0], /^platform {2}/, 'no frame is taller than the screen');
  await screen.keys('q');
  await screen.shows('left with 0');
}

t.test('schedules, notifications and extensions work through all three transports', { skip: skipWithout('tmux') }, async (t) => {
  const local = await shellFor(t);
  const server = await local.serve(t);
  const http = local.with({ PLATFORM_DATA_DIR: '' });
  await done(t, http, ['login', '--url', server.url, '--username', 'admin', '--password-stdin'], adminPassword);
  await fill(t, local);
  await t.test('the views work over HTTP', (t) => visit(t, http, 'Breakfast'));
  await t.test('the views work over the local socket', async (t) => {
    await visit(t, local, 'Lunch');
    const screen = await Screen.open(t, local, { args: ['tui', 'marketplace'] });
    await screen.shows('review inbox');
    await screen.keys('i');
    await screen.shows('under review');
    await screen.keys('a');
    await screen.shows('Approve acme.greetings 0.1.0?');
    await screen.keys('y');
    await screen.shows('approved');
    await screen.keys('s');
    await screen.shows(/> +acme\.greetings +0\.1\.0 +plugin +-/);
    await screen.keys('n');
    await screen.shows('Install acme.greetings 0.1.0');
    await screen.keys('y');
    await screen.shows('install: done');
    await screen.keys('e');
    await screen.shows('STATE');
    await screen.keys('/');
    await screen.shows('/_');
    await screen.type('acme');
    await screen.keys('Enter');
    await screen.shows(/> +acme\.greetings +0\.1\.0 +active/);
    t.match(await done(t, local, ['x', 'acme.greetings', 'greet', 'Ada']), 'Ada');
  });
  server.child.kill('SIGTERM');
  await server.ended;
  await t.test('the dashboard without a server', (t) => visit(t, local, 'Dinner'));
});

t.test('a work node shows usage and log, and runs a command', { skip: skipWithout('tmux', 'docker', 'registry') }, async (t) => {
  const engine = await startDocker(t);
  const shell = await shellFor(t, { PLATFORM_DOCKER_HOST: engine.url });
  await shell.serve(t);
  await done(t, shell, ['node', 'create', 'box', '--image', images.busybox, '--network', 'none']);
  const screen = await Screen.open(t, shell, { args: ['tui', 'nodes'], columns: 100 });
  await screen.shows(/> +1 +box +online +[\d.]+ %.*MiB/);
  await screen.keys('x');
  await screen.shows('Run a command on box');
  await screen.type('echo from $(hostname | wc -l) box; exit 3');
  await screen.keys('Enter');
  await screen.shows('from 1 box');
  await screen.shows('Exit code 3');
  await screen.keys('Escape');
  await screen.shows('1 work node, 1 online');
  await screen.keys('l');
  await screen.shows('Log of box');
  await screen.keys('Escape');
  await screen.shows('1 work node, 1 online');
  await screen.keys('Enter');
  await screen.shows(/Memory [\d.]+ of/);
  await screen.keys('Escape');
  await screen.shows('1 work node, 1 online');
  await screen.keys('C-d');
  await screen.shows('Delete box and everything in its container?');
  await screen.keys('y');
  await screen.shows('No work nodes yet');
  t.same(await engine.docker.listContainers({ all: true }), []);
});
