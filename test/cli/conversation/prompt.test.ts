import { PassThrough } from 'node:stream';
import t, { type Test } from 'tap';
import { Prompt } from '../../../cli/conversation/prompt.js';
import type { Terminal } from '../../../cli/terminal.js';
import { completeMention, unfinishedMention } from '../../../kernel/client/mention-completion.js';

function world(t: Test) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const prompt = new Prompt({ stdin, stdout, stderr: stdout, env: {} } as unknown as Terminal, () => undefined);
  t.teardown(() => prompt.close());
  const shown = () => {
    let text = '';
    // From Node 26 on each call gives one piece.
    for (let piece = stdout.read(); piece !== null; piece = stdout.read()) text += String(piece);
    return text;
  };
  return { stdin, prompt, shown };
}

t.test('answered questions leave no listeners, however many', async (t) => {
  const { stdin, prompt, shown } = world(t);
  const warnings: string[] = [];
  const warned = ({ message }: Error) => warnings.push(message);
  process.on('warning', warned);
  t.teardown(() => process.off('warning', warned));
  const earlier = new AbortController();
  for (let count = 0; count < 20; count += 1) {
    const answer = prompt.ask('Allow it? ', earlier.signal);
    stdin.write('y\r');
    t.equal(await answer, 'y');
  }
  await new Promise(setImmediate);
  t.same(warnings, []);
  shown();
  const last = prompt.ask('And this? ', new AbortController().signal);
  earlier.abort();
  t.notMatch(shown(), '\n', 'an earlier question does not affect the next line');
  stdin.end();
  t.equal(await last, '', 'the end of the input counts as an empty answer');
});

t.test('a question aborted before its answer fails', async (t) => {
  const { prompt, shown } = world(t);
  const over = new AbortController();
  const answer = prompt.ask('Allow it? ', over.signal);
  over.abort(new Error('decided elsewhere'));
  await t.rejects(answer, { message: 'decided elsewhere' });
  t.match(shown(), /Allow it\? .*\n$/s);
});

t.test('a half-typed line is not part of an answer and continues after the question', async (t) => {
  const { stdin, prompt } = world(t);
  stdin.write('y');
  await new Promise(setImmediate);
  const answer = prompt.ask('Allow it? ', new AbortController().signal);
  stdin.write('n\r');
  t.equal(await answer, 'n');
  const next = prompt.read();
  stdin.write('es\r');
  t.equal(await next, 'yes');
});

t.test('lines are written above the line that is being typed, which stays as it is', async (t) => {
  const { stdin, prompt, shown } = world(t);
  const next = prompt.read();
  stdin.write('half a ');
  await new Promise(setImmediate);
  shown();
  prompt.above('Grace:\nHello\n');
  t.match(shown(), /Grace:\nHello\n.*> half a /s);
  stdin.write('line\r');
  t.equal(await next, 'half a line');
  prompt.above('Between two prompts\n');
  t.equal(shown().split('\n').at(-2), 'Between two prompts');
});

t.test('a question while a message is typed leaves the message as it was', async (t) => {
  const { stdin, prompt } = world(t);
  const next = prompt.read();
  stdin.write('half a ');
  await new Promise(setImmediate);
  const answer = prompt.ask('Allow it? ', new AbortController().signal);
  stdin.write('y\r');
  t.equal(await answer, 'y');
  stdin.write('line\r');
  t.equal(await next, 'half a line');
});

t.test('a tab completes a mention, and is text elsewhere', async (t) => {
  const { stdin, prompt } = world(t);
  const members = [{ username: 'grace' }];
  prompt.completeWith((before) =>
    unfinishedMention(before) === undefined ? undefined : Promise.resolve(completeMention(before, { members, isOwner: false })),
  );
  const first = prompt.read();
  for (const keys of ['Hi @GR', '\t', 'and', '\t']) {
    stdin.write(keys);
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  }
  stdin.write('all\r');
  t.equal(await first, 'Hi @grace and\tall');
});
