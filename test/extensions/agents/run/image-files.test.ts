import t from 'tap';
import { connect } from '../../../../kernel/client/connect.js';
import { http } from '../../../../kernel/client/http.js';
import { say } from '../../../helpers/model-server.js';
import { upload } from '../../chat/files/uploads.js';
import { dataUrl, png } from '../../chat/pictures.js';
import { employee, roomOf } from '../../chat/room-members.js';
import { collect, type PlatformApi, type PlatformClient, someone } from '../../chat/world.js';
import { onOneAndTwo, type Place } from '../world.js';

interface Asking {
  content: string;
  files?: string[];
  session_id?: string;
}

/** Sends a message as `by`, reads the answer as `reader`, and returns the last message of the person that the model got. */
async function seen({ model }: Pick<Place, 'model'>, message: Asking, by: PlatformClient, reader = by): Promise<unknown> {
  model.script(say('Seen.'));
  const { message_id } = await by.chat.send(message);
  await collect(reader.messages.stream({ message_id }));
  return model.exchanges.at(-1)?.body.messages.findLast(({ role }) => role === 'user')?.content;
}

t.test('a file that is an image is seen by the AI employee as one, as long as its asker sees it', (t) =>
  onOneAndTwo(t, async (t, place) => {
    const platform = place.platforms[0];
    const ada = await someone(t, platform);
    const bytes = png(3, 4, ada.id);
    const ids = async () => [(await upload(ada.http, 'photo.png', bytes)).id, (await upload(ada.http, 'plan.md', '# Plan')).id];
    const image = { type: 'image_url', image_url: { url: dataUrl(bytes) } };
    const note =
      /^Look\n\n\[Sent with these files as images: "photo\.png" \(image\/png, \d+ bytes\)\.\]\n\n\[Sent with these files: "plan\.md"/;
    const content = await seen(place, { content: 'Look', files: await ids() }, ada.http);
    t.match(content, [{ type: 'text', text: note }, image]);
    t.equal((content as unknown[]).length, 2);

    const { token } = await ada.http.tokens.create({ name: 'sends', scopes: ['chat'] });
    const transport = http({ url: platform.url, token });
    t.teardown(() => transport.close());
    const sender = connect<PlatformApi>(platform.kernel.operations(), transport);
    t.match(
      await seen(place, { content: 'Look', files: await ids() }, sender, ada.http),
      /^Look\n\n\[Sent with these files, which you cannot open: "photo\.png"/,
      'without the scope to read files',
    );
  }),
);

t.test('in a room AI employees see the images among the files of the room, of all its members', (t) =>
  onOneAndTwo(t, async (t, place) => {
    const platform = place.platforms[0];
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const vic = await employee(platform, `Vic ${ada.name}`);
    const { id: session_id } = await roomOf(ada, [ben, vic]);
    const bytes = png(5, 6, ada.id);
    const { id } = await upload(ada.http, 'photo.png', bytes);
    await ada.http.chat.send({ content: 'My photo', files: [id], session_id });
    place.model.script(say('Seen.'));
    const { message_id } = await ben.http.chat.send({ content: `@${vic.username} what is it?`, session_id });
    await collect(ben.http.messages.stream({ message_id }));
    t.match(place.model.exchanges.at(-1)?.body.messages.filter(({ role }) => role === 'user')[0]?.content, [
      { type: 'text', text: /^Quoted message of .*\n> My photo\n> \n> \[Sent with these files as images: "photo\.png"/ },
      { type: 'image_url', image_url: { url: dataUrl(bytes) } },
    ]);
  }),
);
