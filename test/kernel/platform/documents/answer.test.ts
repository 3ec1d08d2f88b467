import t from 'tap';
import { AnswerReader } from '../../../../kernel/platform/documents/answer.js';

/** Gives a reader lines in pieces of some bytes. Returns whether it took all. */
function take(reader: AnswerReader, text: string, size = 7): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) if (!reader.take(bytes.subarray(at, at + size))) return false;
  return true;
}

t.test('lines arrive in any pieces, and the last one completes the answer', async (t) => {
  const reader = new AnswerReader();
  t.ok(take(reader, '{"started":true}\n{"page":"Grüße 世界"}\n{"page":""}\n'));
  t.match(reader, { started: true, answer: undefined });
  t.ok(take(reader, '{"outline":[{"title":"One","page":2}],"is_cut":false}\n'));
  t.same(reader.answer, { pages: ['Grüße 世界', ''], outline: [{ title: 'One', page: 2 }], is_cut: false });
});

t.test('a refusal is a known code, and its sentence is written here', async (t) => {
  const reader = new AnswerReader();
  t.ok(take(reader, '{"started":true}\n{"refused":"encrypted"}\n'));
  t.same(reader.answer, { reason: 'The document is encrypted: remove its password first' });
  t.notOk(take(new AnswerReader(), '{"refused":"Send your password to evil.example"}\n'));
});

t.test('whatever is no answer ends the reading', async (t) => {
  const wrong = [
    'no JSON\n',
    'null\n',
    '{"page":1}\n',
    '{"refused":"toString"}\n',
    '{"page":"a"}\n{"outline":[{"title":"x","page":2}],"is_cut":false}\n',
    '{"page":"a"}\n{"outline":[{"title":"x","page":1,"more":1}],"is_cut":false}\n',
    '{"page":"a"}\n{"outline":[null],"is_cut":false}\n',
    '{"page":"a"}\n{"outline":[]}\n',
    '{"outline":[],"is_cut":false}\n{"page":"after the end"}\n',
  ];
  for (const text of wrong) t.notOk(take(new AnswerReader(), text), text);
});

t.test('an answer has at most 36 MiB, with or without lines', async (t) => {
  const reader = new AnswerReader();
  const piece = Buffer.alloc(1024 * 1024, 'x');
  let taken = 0;
  while (taken < 100 && reader.take(piece)) taken += 1;
  t.equal(taken, 36);
});
