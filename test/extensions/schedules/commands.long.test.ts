import t from 'tap';
import type { SchedulesApi } from '../../../extensions/schedules/contract.js';
import { connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import { ownExtension } from '../../helpers/platform.js';
import { startWorld } from '../nodes/world.js';
import { history, type SchedulesClient, scheduled } from './world.js';

t.test('commands run on a real node as scheduled', { skip: skipWithout('docker', 'registry') }, async (t) => {
  const { platform, admin, docker } = await startWorld(t, { extensions: ['members', 'nodes', 'schedules'].map(ownExtension) });
  const schedules = connect<SchedulesApi>(platform.kernel.operations(), direct(platform.kernel)) as SchedulesClient;
  const { id, container_id } = await admin.nodes.create({ name: 'Workshop', respond_async: false });
  const runOf = async (params: object, timeout_s = 60) => {
    const schedule = await scheduled(schedules, { action: 'nodes.exec', params: { id, ...params }, timeout_s });
    await schedules.schedules.run({ id: schedule.id });
    return (await history(schedules, schedule, 1))[0];
  };
  t.match(await runOf({ command: 'echo one; echo two >&2' }), {
    status: 'success',
    result: /one\n.*two\n|two\n.*one\n/s,
    error_code: null,
  });
  t.match(await runOf({ command: 'echo no; exit 3' }), {
    status: 'failed',
    error_code: 'command_failed',
    result: 'The command ended with exit code 3:\nno\n',
  });
  const long = await runOf({ command: ['seq', '1', '20000'] });
  t.match([long?.status, long?.result.startsWith('…'), long?.result.endsWith('19999\n20000\n')], ['success', true, true]);
  t.match(await runOf({ command: 'sleep 1000', timeout_s: 1 }), {
    status: 'failed',
    error_code: 'command_failed',
    result: /in time|within 1 s/,
  });

  t.match(await runOf({ command: 'echo begun; sleep 1234' }, 2), { status: 'timeout', error_code: 'timeout' });
  const running = async () => JSON.stringify((await docker.getContainer(container_id as string).top()).Processes);
  t.notMatch(await until(running, (processes) => !processes.includes('sleep 1234')), /sleep 1234/, 'the command is killed with its run');

  await t.rejects(scheduled(schedules, { action: 'nodes.exec', params: { id } }), {
    code: 'invalid_input',
    details: [{ path: 'params.command' }],
  });
  await admin.nodes.delete({ id, force: false });
  t.match(await runOf({ command: 'true' }), { status: 'failed', error_code: 'node_not_found' });
});
