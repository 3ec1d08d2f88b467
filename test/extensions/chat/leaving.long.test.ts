import t from 'tap';
import type { ChatApi } from '../../../extensions/chat/contract.js';
import { connect as connectClient } from '../../../kernel/client/connect.js';
import { http } from '../../../kernel/client/http.js';
import { startCluster } from '../../helpers/cluster.js';
import { until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import type { TestPlatform } from '../../helpers/platform.js';
import { people } from './room-members.js';
import { askInRoom, refusalsOf, watch } from './room-watch.js';
import { collect, type PlatformApi, type Someone, withModel } from './world.js';

/** The same member at another instance. */
function at({ kernel, url }: TestPlatform, one: Someone): Someone {
  const transport = http({ url, token: one.token });
  t.teardown(() => transport.close());
  return { ...one, http: connectClient<PlatformApi & ChatApi>(kernel.operations(), transport) };
}

t.test(
  'on three instances, nobody who left a room at one gets anything of it at the others',
  { skip: skipWithout('postgres', 'redis') },
  async (t) => {
    const { model, options } = await withModel(t);
    const platforms = await startCluster(t, 3, options);
    const [one, two, three] = platforms as [TestPlatform, TestPlatform, TestPlatform];
    const [ada, ben, cleo] = (await people(t, one, 3)) as [Someone, Someone, Someone];
    const { asked, inRoom } = await askInRoom({ platform: one, model }, ada, [ben, cleo]);
    const { session_id, message_id: asked_id } = inRoom;
    const watches = [
      { who: at(two, ben), open: await watch(t, two, at(two, ben), inRoom) },
      { who: at(three, cleo), open: await watch(t, three, at(three, cleo), inRoom) },
    ];
    asked[0]?.text('Take quinces. ');
    await Promise.all(
      watches.map(({ open }) =>
        until(
          () => open.socket.of('typing').length,
          (length) => length > 0,
        ),
      ),
    );
    // The last answer is the moment from which on nothing more may come.
    await Promise.all([
      ben.http.sessions.remove_member({ session_id, member_id: ben.id }),
      at(two, ada).http.sessions.remove_member({ session_id, member_id: cleo.id }),
    ]);
    for (const platform of platforms) await at(platform, ada).http.chat.send({ session_id, content: 'Secret sugar' });
    asked[0]?.text('Secret spice.', 'end');
    await collect(ada.http.messages.stream({ message_id: asked_id }));
    for (const { who, open } of watches) {
      const streams = await open.streams;
      t.notMatch(streams.join('\n'), /secret/i);
      t.ok(streams.every((text) => text.endsWith('session_not_found')));
      await until(
        () => open.socket.of('session.left').length,
        (length) => length === 1,
      );
      const { message_id } = await who.http.chat.send({ content: 'To myself', target_type: '' });
      await until(
        () => JSON.stringify(open.socket.of('message.created')).includes(message_id),
        (found) => found,
      );
      const left = open.socket.frames.findIndex(({ type }) => type === 'session.left');
      t.notMatch(JSON.stringify(open.socket.frames.slice(left + 1)), session_id);
      for (const platform of platforms) {
        const shown = Object.entries(await refusalsOf(at(platform, who), inRoom, 'quince')).filter(([, found]) => found === 'shown');
        t.same(shown, []);
      }
    }
  },
);
