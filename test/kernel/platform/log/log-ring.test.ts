import t from 'tap';
import type { ChildLog } from '../../../../kernel/core/ports.js';
import { LogRing } from '../../../../kernel/platform/log/log-ring.js';

const at = '2026-01-02T03:04:05.000Z';
const nowhere: ChildLog = { debug() {}, info() {}, warn() {}, error() {}, child: () => nowhere };

t.test('a line is stored with its fields, without secrets and stack traces', (t) => {
  const ring = new LogRing({ iso: () => at });
  const log = ring.remembering('guest', nowhere);
  log.warn('The inbox is away', { status: 502, token: 'sesame', tried: ['a', 'b'] });
  log.error('It failed', { err: new Error('no room') });
  log.info('Ready');
  log.debug('Not kept', { status: 1 });
  t.strictSame(ring.of('guest'), [
    { at, level: 'warn', message: 'The inbox is away', fields: { status: 502, token: '[redacted]', tried: ['a', 'b'] } },
    { at, level: 'error', message: 'It failed', fields: { err: { name: 'Error', message: 'no room' } } },
    { at, level: 'info', message: 'Ready', fields: {} },
  ]);
  t.end();
});

t.test('fields that are too long leave room for the others', (t) => {
  const ring = new LogRing({ iso: () => at });
  const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`key-${n}`, 'x'.repeat(50)]));
  ring.remembering('guest', nowhere).info('Much', { whole: 'x'.repeat(3_000), small: 1, gone: undefined, ...many });
  const fields = ring.of('guest')[0]?.fields ?? {};
  t.match(fields, { whole: '[too long]', small: 1, 'key-0': 'x'.repeat(50) });
  t.notOk('gone' in fields);
  t.ok(JSON.stringify(fields).length < 4_000, `${JSON.stringify(fields).length} characters`);
  t.end();
});
