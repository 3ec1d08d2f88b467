import t from 'tap';
import { StreamBar } from '../../cli/stream-bar.js';
import type { Terminal } from '../../cli/terminal.js';
import { until } from '../helpers/eventually.js';

const hint = { event: 'pull.progress', done: 'bytes', total: 'total_bytes', failed: ['error'] };

function screen(isTTY: boolean, beside = isTTY) {
  const written: string[] = [];
  const stream = (isTTY: boolean) => ({ isTTY, columns: 80, write: (text: string) => written.push(text) });
  return { written, terminal: { env: {}, stdout: stream(isTTY), stderr: stream(beside) } as unknown as Terminal };
}

const pulled = { type: 'pull.progress', data: { bytes: 5_000_000, total_bytes: 20_000_000 } };

t.test('on a terminal progress events are a bar below other output', async (t) => {
  const { written, terminal } = screen(true);
  const bar = new StreamBar(hint, terminal);
  t.equal(bar.take(pulled), true);
  await until(
    () => written.at(-1) ?? '',
    (line) => line.includes('25 %  4.8 MiB of 19 MiB'),
  );
  t.equal(bar.take({ type: 'node.updated', data: {} }), false);
  t.equal(written.at(-1), '\r\u001B[K');
  bar.end();
});

t.test('in a pipe, or for a command without a bar, progress events draw nothing', (t) => {
  for (const { written, terminal } of [screen(false), screen(true, false)]) {
    const bar = new StreamBar(hint, terminal);
    t.equal(bar.take(pulled), false);
    bar.end();
    t.same(written, []);
  }
  t.end();
});

t.test('the last event shows whether the work failed', (t) => {
  const bar = new StreamBar(hint, screen(false).terminal);
  const failed = (type: string, status: string) => bar.failed({ type, data: { status } });
  t.same([failed('done', 'error'), failed('done', 'online'), failed('other', 'error')], [true, false, false]);
  bar.end();
  t.end();
});
