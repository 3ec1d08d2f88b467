import t from 'tap';
import type { Run } from '../../../../extensions/chat/contract.js';
import { onOneAndTwo, scripted } from '../scribe.js';
import { collect, failureOf, someone } from '../world.js';
import { sendFile, upload } from './uploads.js';

t.test('an answerer gets only files of its session', (t) =>
  onOneAndTwo(t, async (t, [platform]) => {
    const ada = await someone(t, platform);
    const own = await upload(ada.http, 'plan.txt', 'The plan');
    const elsewhere = [(await sendFile(ada.http, 'other.txt')).file_id, (await upload(ada.http, 'unsent.txt', 'Not sent')).id, 'none'];
    const found: unknown[] = [];
    const read = async (run: Run) => {
      for (const file of run.message.files) found.push(await run.file(file));
      for (const id of elsewhere) found.push(await failureOf(run.file({ id })));
    };
    const sent = await ada.http.chat.send({ ...(await scripted(platform, read)), files: [own.id] });
    await collect(ada.http.messages.stream({ message_id: sent.message_id }));
    const absent = { code: 'file_not_found', status: 404 };
    t.same(found, [{ mime_type: 'text/plain', bytes: Buffer.from('The plan') }, absent, absent, absent]);
  }),
);
