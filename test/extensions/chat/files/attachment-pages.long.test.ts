import t from 'tap';
import { callTools, type Script, say } from '../../../helpers/model-server.js';
import { pdf, shows } from '../../../kernel/platform/documents/made.js';
import { someone } from '../world.js';
import { ask, lastTo, onOneAndTwo, read, reads } from './attachment-reader.js';
import { upload } from './uploads.js';

/** Reads a file from its first page to the last one that exists or has the word, and quotes the page. */
function looksFor(word: string): Script {
  let file_id = '';
  const page = (number: number) => callTools([{ name: read, arguments: { file_id, page: number } }]);
  return (exchange) => {
    const last = exchange.body.messages.at(-1);
    if (last?.role === 'user') {
      file_id = /file_id ([\w-]+)/.exec(lastTo(exchange))?.[1] ?? '';
      return callTools([{ name: read, arguments: { file_id } }])(exchange);
    }
    const found = JSON.parse(lastTo(exchange)) as { page: number; text: string; outline?: { page: number }[] };
    if (found.text.includes(word)) return say(`Page ${found.page} says: ${found.text}`)(exchange);
    // From the first page to the chapter, and then on.
    return page(found.outline?.at(-1)?.page ?? found.page + 1)(exchange);
  };
}

t.test('an AI employee finds the answer on page 700 of a PDF, and quotes the page', async (t) => {
  const pages = Array.from({ length: 1_000 }, (_, at) => shows(at === 699 ? 'The jam needs 42 quinces' : `Nothing on page ${at + 1}`));
  const bookmarks = Array.from({ length: 695 }, (_, at) => `Chapter ${at + 1}`);
  const bytes = pdf({ pages, bookmarks });
  await onOneAndTwo(t, async (t, { model, platforms: [platform] }) => {
    const ada = await someone(t, platform);
    const { id } = await upload(ada.http, 'cookbook.pdf', bytes);
    model.script(looksFor('42 quinces'));
    const { reply, sent } = await ask(ada.http, { content: 'How many quinces does the jam need?', files: [id] });
    t.equal(reply.content, 'Page 700 says: The jam needs 42 quinces');
    t.ok(reply.tool_calls.length > 2 && reply.tool_calls.every(({ name, error }) => name === read && error === null));
    t.match(JSON.parse(reply.tool_calls[0]?.output as string), { name: 'cookbook.pdf', pages: 1_000, page: 1, outline: [] });
    model.script(...reads({ file_id: id, page: 1_001 }));
    const { reply: none } = await ask(ada.http, { content: 'More?', session_id: sent.session_id });
    t.equal(none.content, 'Error: The file "cookbook.pdf" has 1000 pages; there is no page 1001 (invalid_input)');
  });
});
