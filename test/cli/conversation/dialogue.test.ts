import { PassThrough } from 'node:stream';
import t from 'tap';
import { Dialogue, type DialogueParts } from '../../../cli/conversation/dialogue.js';
import { Interrupted } from '../../../cli/exit.js';
import { until } from '../../helpers/eventually.js';

t.test('on a terminal the greeting breaks between words', async (t) => {
  let shown = '';
  const screen = Object.assign(
    new PassThrough().on('data', (piece) => (shown += String(piece))),
    { isTTY: true, columns: 40 },
  );
  const interruption = new AbortController();
  const name = 'a new conversation with the AI employee who answers where nobody is named';
  const dialogue = new Dialogue({
    api: {},
    session: { abandon: () => undefined },
    conversation: { session: undefined, session_id: undefined, name, attachments: [] },
    context: { terminal: { stdin: new PassThrough(), stdout: screen, stderr: screen, env: {} }, signal: interruption.signal },
    debug: false,
  } as unknown as DialogueParts);
  await dialogue.enter();
  t.equal(shown, 'This is a new conversation with the AI\nemployee who answers where nobody is\nnamed\n');
});

t.test('an external interrupt ends a conversation without typing', async (t) => {
  let shown = '';
  const screen = new PassThrough().on('data', (piece) => (shown += String(piece)));
  const interruption = new AbortController();
  const dialogue = new Dialogue({
    api: {},
    session: { abandon: () => undefined },
    conversation: { session: undefined, session_id: undefined, name: 'a new conversation', attachments: [] },
    context: { terminal: { stdin: new PassThrough(), stdout: screen, stderr: screen, env: {} }, signal: interruption.signal },
    debug: false,
  } as unknown as DialogueParts);
  const ended = dialogue.run();
  await until(() => /> /.test(shown), Boolean);
  interruption.abort(new Interrupted());
  await t.rejects(ended, { name: 'Interrupted' });
});
