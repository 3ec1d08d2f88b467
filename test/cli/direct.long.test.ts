import { join } from 'node:path';
import t, { type Test } from 'tap';
import { images, startDocker } from '../helpers/docker/engine.js';
import { skipWithout } from '../helpers/parts.js';
import { type Shell, shellFor } from './shell.js';

/** Runs a command that must succeed, and gives its answer. */
async function answerOf<Answer>(t: Test, shell: Shell, args: readonly string[]): Promise<Answer> {
  const { code, stdout, stderr } = await shell.run([...args, '--json']);
  t.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Answer;
}

t.test('a node created without a server works under the next one', { skip: skipWithout('docker', 'registry') }, async (t) => {
  const { url, docker } = await startDocker(t);
  const shell = await shellFor(t, {
    PLATFORM_DOCKER_HOST: url,
    PLATFORM_NODE_IMAGE: images.busybox,
    PLATFORM_NODE_GUARD_IMAGE: images.busybox,
  });
  await shell.install();
  const made = await answerOf<{ id: number; container_id: string; status: string }>(t, shell, ['node', 'create', 'box']);
  t.equal(made.status, 'online', 'the command ends once the node is created');
  t.equal((await docker.getContainer(made.container_id).inspect()).State.Running, true);
  await shell.serve(t);
  const found = await answerOf<{ container_id: string; status: string }>(t, shell, ['node', 'show', String(made.id)]);
  t.match(found, { status: 'online', container_id: made.container_id });
  t.match(await shell.run(['node', 'exec', String(made.id), 'echo works']), { code: 0, stdout: 'works\n' });
});

t.test('a run started without a server has ended under the next one', async (t) => {
  const shell = await (await shellFor(t)).install();
  const line = ['schedule', 'create', 'Tidy', 'cron', '0 3 * * *', 'maintenance.cleanup'];
  const { id } = await answerOf<{ id: number }>(t, shell, line);
  const { run_id } = await answerOf<{ run_id: number }>(t, shell, ['schedule', 'run', String(id)]);
  await shell.serve(t);
  const run = await answerOf<object>(t, shell, ['schedule', 'run-show', String(id), String(run_id)]);
  t.match(run, { status: 'success', trigger: 'manual', attempt: 1, finished_at: /Z$/ });
});

t.test('a reply followed without a server is complete under the next one', async (t) => {
  const shell = await (await shellFor(t)).install();
  const { code, stdout } = await shell.run(['chat', 'send', '--follow', 'What can you do?']);
  t.equal(code, 0);
  await shell.serve(t);
  const [session] = await answerOf<{ id: string; active_task_id: string | null }[]>(t, shell, ['chat', 'sessions']);
  t.equal(session?.active_task_id, null);
  const messages = await answerOf<object[]>(t, shell, ['chat', 'messages', session?.id as string]);
  t.match(messages, [
    { role: 'user', content: 'What can you do?', status: 'completed' },
    { role: 'assistant', content: stdout.replace(/\n$/, ''), status: 'completed' },
  ]);
});

t.test('a plugin installed without a server serves under the next one', async (t) => {
  const shell = await (await shellFor(t, { PLATFORM_PLUGINS_TRUSTED: 'acme.greetings' })).install();
  const zip = join(shell.env.HOME as string, 'greetings.zip');
  for (const args of [
    ['extension', 'new', 'acme.greetings'],
    ['extension', 'pack', 'acme.greetings', '--out', zip],
    ['extension', 'publish', zip],
    ['extension', 'approve', 'acme.greetings', '0.1.0'],
    ['extension', 'install', 'acme.greetings', '--accept-permissions', '--yes'],
  ]) {
    const { code, stderr } = await shell.run(args);
    t.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  }
  await shell.serve(t);
  const installed = await answerOf<object>(t, shell, ['extension', 'list']);
  t.match(installed, { items: [{ id: 'acme.greetings', version: '0.1.0', state: 'active' }] });
  t.match(await shell.run(['x', 'acme.greetings', 'greet', 'Ada']), { code: 0, stdout: /Hello, Ada!/ });
});
