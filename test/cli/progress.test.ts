import t from 'tap';
import { Progress, withProgress } from '../../cli/progress.js';
import type { Terminal } from '../../cli/terminal.js';
import { until } from '../helpers/eventually.js';

/** A terminal that keeps what standard error was given. */
function screen({ isTTY = true, TERM = 'xterm' } = {}) {
  const written: string[] = [];
  const stderr = { isTTY, columns: 60, write: (text: string) => written.push(text) };
  return { written, terminal: { env: { TERM }, stderr } as unknown as Terminal };
}

t.test('a line shows the progress and is removed at the end', async (t) => {
  const { written, terminal } = screen();
  await withProgress(new Progress(terminal, 'sending \u001B[2Ja file'), async (progress) => {
    await until(() => written.length, Boolean);
    t.match(written.at(-1), /^.{4}sending a file {2}\d+ s$/s, 'terminal controls are removed');
    progress.at(300_000, 1_200_000);
    await until(
      () => written.at(-1) ?? '',
      (line) => line.includes('%'),
    );
    t.match(written.at(-1), /sending a file {2}\[={6} {18}\] {2}25 % {2}293 KiB …$/);
    progress.step({ doing: 'fetching\n\u001B[2Jit', done: 300_000, total: 0 });
    await until(
      () => written.at(-1) ?? '',
      (line) => line.endsWith('fetching it  293 KiB'),
    );
  });
  t.equal(written.at(-1), '\r\u001B[K');
  const { length } = written;
  await new Promise((resolve) => setTimeout(resolve, 150));
  t.equal(written.length, length, 'nothing is drawn after the end');
});

t.test('a failure removes its line', async (t) => {
  const { written, terminal } = screen();
  const work = withProgress(new Progress(terminal, 'working'), async () => {
    await until(() => written.length, Boolean);
    throw new Error('no');
  });
  await t.rejects(work, { message: 'no' });
  t.equal(written.at(-1), '\r\u001B[K');
});

t.test('no progress is shown for fast calls, in a pipe or on a dumb terminal', async (t) => {
  const quick = screen();
  await withProgress(new Progress(quick.terminal, 'quick'), async () => undefined);
  const silent = [screen({ isTTY: false }), screen({ TERM: 'dumb' })];
  const slow = new Promise((resolve) => setTimeout(resolve, 600));
  await Promise.all(silent.map(({ terminal }) => withProgress(new Progress(terminal, 'slow'), () => slow)));
  t.strictSame(
    [quick, ...silent].map(({ written }) => written),
    [[], [], []],
  );
});
