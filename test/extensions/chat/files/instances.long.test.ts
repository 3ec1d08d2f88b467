import t from 'tap';
import { connect } from '../../../../kernel/client/connect.js';
import { http } from '../../../../kernel/client/http.js';
import { startCluster } from '../../../helpers/cluster.js';
import { skipWithout } from '../../../helpers/parts.js';
import type { TestPlatform } from '../../../helpers/platform.js';
import { people, roomOf } from '../room-members.js';
import { failureOf, type PlatformApi, type PlatformClient, type Someone } from '../world.js';
import { upload } from './uploads.js';

const absent = { code: 'file_not_found', status: 404 };

/** The clients of a member at each instance. */
function everywhere(platforms: readonly TestPlatform[], { token }: Someone): PlatformClient[] {
  return platforms.map(({ kernel, url }) => {
    const transport = http({ url, token });
    t.teardown(() => transport.close());
    return connect<PlatformApi>(kernel.operations(), transport);
  });
}

t.test(
  'a file uploaded at one of three instances is sent at another and downloaded at the third, until its reader leaves',
  { skip: skipWithout('postgres', 'redis') },
  async (t) => {
    const platforms = await startCluster(t, 3);
    const [ada, ben, eve] = (await people(t, platforms[0] as TestPlatform, 3)) as [Someone, Someone, Someone];
    const [adas, bens, eves] = [ada, ben, eve].map((one) => everywhere(platforms, one)) as [
      PlatformClient[],
      PlatformClient[],
      PlatformClient[],
    ];
    const [one, two, three] = adas as [PlatformClient, PlatformClient, PlatformClient];
    const { id: session_id } = await roomOf(ada, [ben]);

    const key = { idempotency_key: 'upload-1' };
    const file = await upload(one, 'quince.txt', 'Jelly', key);
    t.same(await upload(two, 'quince.txt', 'Jelly', key), file, 'the same upload at another instance is the same file');
    const { id: file_id } = file;
    for (const client of [...bens, ...eves]) t.same(await failureOf(client.files.get({ file_id })), absent, 'before it is sent');
    const { message_id } = await two.chat.send({ session_id, content: '', files: [file_id] });
    t.match(await (bens[2] as PlatformClient).messages.get({ message_id }), { files: [file] });
    for (const client of bens) t.match(await client.files.get({ file_id }), { bytes: Buffer.from('Jelly'), save_as: 'quince.txt' });
    for (const client of eves) t.same(await failureOf(client.files.get({ file_id })), absent);

    // From the answer on, although each instance has the bytes in its cache.
    await (bens[1] as PlatformClient).sessions.remove_member({ session_id, member_id: ben.id });
    const refusals = await Promise.all(bens.map((client) => failureOf(client.files.get({ file_id }))));
    t.same(refusals, [absent, absent, absent]);
    const found = await Promise.all(bens.map((client) => client.messages.search({ q: 'quince', limit: 5 })));
    t.same(found, [[], [], []]);

    await three.messages.delete({ message_id });
    for (const client of adas) t.same(await failureOf(client.files.get({ file_id })), absent);
  },
);
