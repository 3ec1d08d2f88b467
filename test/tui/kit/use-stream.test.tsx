import t, { type Test } from 'tap';
import { fail } from '../../../kernel/contract/failure.js';
import type { StreamEvent } from '../../../kernel/contract/operation.js';
import { Text } from '../../../tui/kit/text.js';
import { type OpenStream, useStream } from '../../../tui/kit/use-stream.js';
import { until } from '../../helpers/eventually.js';
import { Drawn } from '../drawn.js';

const event = (id: string): StreamEvent => ({ id, type: 'told', data: {} });

/** Draws how it stands with a stream; gives what came. */
function streaming(t: Test, open: OpenStream) {
  const came: (string | undefined)[] = [];
  function Streamed() {
    const { state, error } = useStream(open, [], ({ id }) => came.push(id));
    return <Text>{`${state} ${error?.code ?? ''}`}</Text>;
  }
  return { came, drawn: new Drawn(t, <Streamed />) };
}

t.test('a dropped stream resumes after its last event', async (t) => {
  const cursors: (string | undefined)[] = [];
  const { came, drawn } = streaming(t, async function* (signal, cursor) {
    cursors.push(cursor);
    if (cursors.length === 1) {
      yield event('1');
      yield event('2');
      throw fail('shutting_down', 'The server ends');
    }
    yield event('3');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
  await drawn.shows('waiting shutting_down');
  await drawn.shows('open');
  await until(
    () => came.length,
    (length) => length === 3,
  );
  t.same(
    [came, cursors],
    [
      ['1', '2', '3'],
      [undefined, '2'],
    ],
  );
});

t.test('a permanent failure ends the stream and is reported', async (t) => {
  let tries = 0;
  const { drawn } = streaming(t, async function* () {
    tries += 1;
    yield event('1');
    throw fail('not_found', 'There is none any more');
  });
  await drawn.shows('ended not_found');
  t.equal(tries, 1);
});

t.test('reading ends with the stream, or if there is none', async (t) => {
  const { came, drawn } = streaming(t, async function* () {
    yield event('1');
  });
  await drawn.shows('ended');
  t.same(came, ['1']);
  await streaming(t, () => undefined).drawn.shows('ended');
});
