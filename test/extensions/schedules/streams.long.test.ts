import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { history, ledger, onEach, scheduled } from './world.js';

const command = (params: object) => ({ action: 'labour.command', params: { name: 'command', lines: [], ...params } });

t.test('the output of a streaming command is the result, and its exit code the outcome', async (t) => {
  await onEach(t, async (t, { admin }) => {
    const runOf = async (params: object, more: object = {}) => {
      const schedule = await scheduled(admin, { ...command(params), ...more });
      await admin.schedules.run({ id: schedule.id });
      return (await history(admin, schedule, 1))[0];
    };
    t.match(await runOf({ lines: ['one\n', 'two\n'] }), { status: 'success', result: 'one\ntwo\n', error_code: null });
    t.match(await runOf({}), { status: 'success', result: /"exit_code":0/ }, 'a command without output');
    t.match(await runOf({ lines: ['no such file'], exit_code: 2 }), {
      status: 'failed',
      error_code: 'command_failed',
      result: 'The command ended with exit code 2:\nno such file',
    });
    t.match(
      await runOf({ lines: ['no such file'], exit_code: 2, failure: 'It failed' }),
      { status: 'failed', error_code: 'command_failed', result: 'The command ended with exit code 2:\nno such file' },
      'the output is kept whatever the exit',
    );
    t.match(await runOf({ exit_code: null }), { status: 'failed', error_code: 'command_failed', result: 'The command was killed' });
    t.match(await runOf({ lines: ['begun'], failure: 'The node went away' }), {
      status: 'failed',
      error_code: 'labour_lost',
      result: 'The node went away',
    });
    const long = await runOf({ lines: ['a'.repeat(1_000), `${'b'.repeat(999)}\n`], times: 500 });
    t.match(long, { status: 'success' });
    t.match([long?.result.length, long?.result[0], long?.result.endsWith(`${'b'.repeat(999)}\n`)], [3_901, '…', true]);
    const failed = await runOf({ lines: ['\u{1f600}'.repeat(3_000)], exit_code: 1 });
    t.ok((failed?.result.length ?? 0) <= 4_000 && failed?.result.isWellFormed(), 'truncated output stays valid text');
    t.match(failed?.result, /^The command ended with exit code 1:\n….*\u{1f600}$/u);
  });
});

t.test('a timeout and a cancellation end the stream, even if it ignores them', async (t) => {
  await onEach(t, async (t, { admin }) => {
    for (const deaf of [false, true]) {
      const name = deaf ? 'deaf' : 'slow';
      const slow = await scheduled(admin, { ...command({ name, lines: ['begun'], ms: deaf ? 3_000 : 60_000, deaf }), timeout_s: 1 });
      await admin.schedules.run({ id: slow.id });
      t.match(await history(admin, slow, 1), [{ status: 'timeout', error_code: 'timeout' }]);
      await until(
        () => ledger.lines,
        (lines) => lines.includes(`${name} is over`),
      );
      t.notOk(ledger.lines.includes(`${name} ends`), 'the stream was left');
    }
    const long = await scheduled(admin, command({ name: 'long', lines: ['begun'], ms: 60_000 }));
    const { run_id } = await admin.schedules.run({ id: long.id });
    await until(
      () => ledger.lines,
      (lines) => lines.includes('long begins'),
    );
    await admin.schedules.cancel({ id: long.id, run_id });
    await until(
      () => ledger.lines,
      (lines) => lines.includes('long is over'),
    );
    t.match(await history(admin, long, 1), [{ status: 'cancelled' }]);
  });
});
