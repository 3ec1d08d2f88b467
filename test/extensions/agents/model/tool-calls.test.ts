import t from 'tap';
import { ToolCalls } from '../../../../extensions/agents/model/tool-calls.js';
import { ToolNames } from '../../../../extensions/agents/model/tool-names.js';

const callsOf = (...fragments: object[]) => {
  const calls = new ToolCalls({ by: 'here', names: new ToolNames([], new Map()) });
  for (const fragment of fragments) calls.add([fragment]);
  return calls.complete(false);
};

const part = (index: number | undefined, id: string | undefined, name: string | undefined, given?: unknown) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), ...(given === undefined ? {} : { arguments: given }) },
});

t.test('assembles calls from interleaved fragments', async (t) => {
  t.same(
    callsOf(
      part(0, 'a', 'read', ''),
      part(1, 'b', 'write', '{"pa'),
      part(0, undefined, undefined, '{"path"'),
      part(1, undefined, undefined, 'th":1}'),
      part(0, undefined, undefined, ':"{}"}'),
    ),
    [
      { id: 'a', name: 'read', arguments: '{"path":"{}"}' },
      { id: 'b', name: 'write', arguments: '{"path":1}' },
    ],
  );
});

t.test('indexes may have gaps and come in any order', async (t) => {
  t.same(
    callsOf(part(7, 'c', 'third', '{}'), part(1, 'a', 'first', '{}'), part(3, 'b', 'second', '{}')).map(({ name }) => name),
    ['first', 'second', 'third'],
  );
});

t.test('complete calls with index 0, or without one, stay separate', async (t) => {
  for (const index of [0, undefined]) {
    t.same(
      callsOf(part(index, 'a', 'read', '{"n":1}'), part(index, 'b', 'read', '{"n":2}')).map((call) => call.arguments),
      ['{"n":1}', '{"n":2}'],
      `with ids, number ${index}`,
    );
    t.same(
      callsOf(part(index, undefined, 'read', '{"n":1}'), part(index, undefined, 'read', '{"n":2}')).map((call) => call.arguments),
      ['{"n":1}', '{"n":2}'],
      `without ids, number ${index}`,
    );
  }
});

t.test('fragments without index and id continue the last call', async (t) => {
  t.same(
    callsOf(
      part(undefined, 'a', 'read', '{"n'),
      part(undefined, undefined, undefined, '":1}'),
      part(undefined, 'b', 'read', '{"n'),
      part(undefined, 'b', 'read', '":2}'),
    ),
    [
      { id: 'a', name: 'read', arguments: '{"n":1}' },
      { id: 'b', name: 'read', arguments: '{"n":2}' },
    ],
  );
});

t.test('each call has a unique id, even if it is missing, too long or repeated', async (t) => {
  const calls = callsOf(
    part(0, undefined, 'one', '{}'),
    part(1, 'x'.repeat(200), 'two', '{}'),
    part(2, 's', 'three'),
    part(3, 's', 'four'),
  );
  t.match(
    calls.map(({ id }) => id),
    [/^call_[0-9a-f]{32}$/, /^call_[0-9a-f]{32}$/, 's', /^call_[0-9a-f]{32}$/],
  );
  t.equal(new Set(calls.map(({ id }) => id)).size, 4);
});

t.test('names may come whole, repeated or in parts; an input may be missing, an object, or invalid JSON', async (t) => {
  t.same(
    callsOf(
      part(0, 'a', 'read', '{"n'),
      part(0, 'a', 'read', '":1}'),
      part(1, 'b', 'list_', ''),
      part(1, undefined, 'files', ''),
      part(2, 'c', 'run', { command: 'ls' }),
      part(3, 'd', 'run', '{oops'),
    ).map((call) => [call.name, call.arguments]),
    [
      ['read', '{"n":1}'],
      ['list_files', '{}'],
      ['run', '{"command":"ls"}'],
      ['run', '{oops'],
    ],
  );
});

t.test('ignores fragments that are not a list', async (t) => {
  const calls = new ToolCalls({ by: 'here', names: new ToolNames([], new Map()) });
  for (const nonsense of [undefined, null, 'x', 3, {}, [null, 4, 'x']]) calls.add(nonsense);
  t.same(calls.complete(false), []);
});
