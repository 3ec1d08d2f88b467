import t from 'tap';
import { type EngineEvent, eventsOf, sinceOf } from '../../../../extensions/nodes/monitor/event.js';

const line = (action: string, node: string | undefined, timeNano = '1763654400123456789') =>
  `{"Type":"container","Action":${JSON.stringify(action)},"Actor":{"ID":"c1","Attributes":${JSON.stringify({ 'platform.node': node })}},"time":1763654400,"timeNano":${timeNano}}\n`;

async function read(...pieces: string[]): Promise<EngineEvent[]> {
  const found: EngineEvent[] = [];
  async function* stream() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  for await (const event of eventsOf(stream())) found.push(event);
  return found;
}

t.test('events are parsed at any chunk boundary', async (t) => {
  const text = line('die', '7') + line('start', '8');
  const wanted = [
    { action: 'die', node_id: 7, container_id: 'c1', nanos: 1763654400123456789n },
    { action: 'start', node_id: 8, container_id: 'c1', nanos: 1763654400123456789n },
  ];
  t.strictSame(await read(text), wanted);
  t.strictSame(await read(...(text.match(/[\s\S]{1,7}/g) ?? [])), wanted);
});

t.test('ignores events of other containers', async (t) => {
  t.strictSame(
    await read('nonsense\n', '{}\n', '"timeNano":1\n', line('die', undefined), line('die', 'x'), line('die', '1').replace('"c1"', '5')),
    [],
  );
});

t.test('an endless line is rejected', async (t) => {
  await t.rejects(read('x'.repeat(300_000)), { message: /more than 262144 characters/ });
});

t.test('times are passed to the engine in nanoseconds', async (t) => {
  t.equal(sinceOf(1763654400000000009n), '1763654400.000000009');
});
