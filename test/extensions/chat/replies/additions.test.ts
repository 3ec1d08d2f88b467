import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { until } from '../../../helpers/eventually.js';
import { gate, onOneAndTwo, scripted } from '../scribe.js';
import { collect, someone } from '../world.js';

const pieces = ['Ä', '😀', '漢字', 'e\u0301', '👩‍👩‍👧', ' and\n', "it's $1 '%_\\", '한국어', '\u{1F680}'];

t.test('a reply in progress is stored with its text so far, whatever its characters', async (t) => {
  await onOneAndTwo(t, async (t, [platform]) => {
    const { http: client } = await someone(t, platform);
    const end = gate();
    let written = '';
    const wish = await scripted(platform, async (run) => {
      for (let n = 0; n < 60; n += 1) {
        const piece = `${pieces[n % pieces.length]}${n}`;
        // Halves of a character come apart.
        for (const unit of piece.split('')) await run.write(unit);
        written += piece;
        await pause(20);
      }
      await end.passed;
    });
    const { message_id, session_id } = await client.chat.send(wish);
    const stored = async () => (await client.messages.list({ session_id, limit: 10 })).at(-1);
    const seen = new Set<string>();
    await until(
      async () => {
        const message = await stored();
        if (message?.status === 'streaming') seen.add(message.content);
        return message?.content;
      },
      (content) => content !== undefined && content === written && content.endsWith('59'),
    );
    t.ok(seen.size > 3, 'the text was stored in several steps');
    for (const content of seen) t.ok(written.startsWith(content), 'the stored text is a prefix of the reply');
    end.open();
    const events = await collect(client.messages.stream({ message_id }));
    t.equal(events.at(-1)?.type, 'done');
    t.match(await stored(), { status: 'completed', content: written });
  });
});
