import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import t from 'tap';
import { eachTransport } from '../../../helpers/redis.js';

/** Collects messages, and waits until there are `count`. */
function inbox() {
  const messages: object[] = [];
  const arrivals = new EventTarget();
  return {
    messages,
    take: (message: object): void => {
      messages.push(message);
      arrivals.dispatchEvent(new Event('message'));
    },
    until: async (count: number): Promise<object[]> => {
      while (messages.length < count) await once(arrivals, 'message', { signal: AbortSignal.timeout(30_000) });
      return messages;
    },
  };
}

t.test('the bus works, in memory and on Redis', (t) =>
  eachTransport(t, async (t, kit) => {
    const { bus } = await kit.open();

    await t.test('messages reach every subscriber in order, including the sender', async (t) => {
      const channel = kit.topic();
      const [first, second] = [inbox(), inbox()];
      const ends = [await bus.subscribe(channel, first.take), await bus.subscribe(channel, second.take)];
      for (let n = 1; n <= 100; n += 1) await bus.publish(channel, { n });
      const expected = Array.from({ length: 100 }, (_, index) => ({ n: index + 1 }));
      t.same(await first.until(100), expected);
      t.same(await second.until(100), expected);
      for (const end of ends) await end();
    });

    await t.test('nothing of other channels is delivered, nor anything after unsubscribing', async (t) => {
      const [channel, other] = [kit.topic(), kit.topic()];
      const [ended, going] = [inbox(), inbox()];
      const end = await bus.subscribe(channel, ended.take);
      await bus.subscribe(channel, going.take);
      await bus.publish(other, { n: 0 });
      await bus.publish(channel, { n: 1 });
      await going.until(1);
      await end();
      await end();
      await bus.publish(channel, { n: 2 });
      t.same(await going.until(2), [{ n: 1 }, { n: 2 }]);
      t.same(ended.messages, [{ n: 1 }]);
    });

    await t.test('subscribers and responders do not run as the publishing caller', async (t) => {
      const channel = kit.topic();
      const speaker = new AsyncLocalStorage<string>();
      const seen: unknown[] = [];
      const heard = inbox();
      const note = (message: object) => {
        seen.push(speaker.getStore());
        heard.take(message);
      };
      const ends = [
        await bus.subscribe(channel, note),
        await bus.respond(channel, async () => {
          seen.push(speaker.getStore());
          return {};
        }),
      ];
      await speaker.run('ann', async () => {
        await bus.publish(channel, {});
        await bus.request(channel, {}, 5_000);
      });
      await heard.until(1);
      t.same(seen, [undefined, undefined]);
      for (const end of ends) await end();
    });

    await t.test('each handler gets a copy, and one that throws does not stop the others', async (t) => {
      const channel = kit.topic();
      const going = inbox();
      await bus.subscribe(channel, (message: { n: number }) => {
        message.n = 99;
        throw new Error('planted');
      });
      await bus.subscribe(channel, going.take);
      await bus.publish(channel, { n: 1 });
      t.same(await going.until(1), [{ n: 1 }]);
    });

    await t.test('a message above 1 MiB is rejected', async (t) => {
      await t.rejects(bus.publish(kit.topic(), { text: 'x'.repeat(1_048_577) }), { code: 'bus_message_too_large', status: 413 });
    });

    await t.test('a request resolves to the first defined answer', async (t) => {
      const channel = kit.topic();
      const ends = [
        await bus.respond(channel, async () => undefined),
        await bus.respond(channel, async () => Promise.reject(new Error('planted'))),
        await bus.respond(channel, async (message: { n: number }) => ({ doubled: message.n * 2 })),
      ];
      const answers = await Promise.all([1, 2, 3].map((n) => bus.request(channel, { n }, 5_000)));
      t.same(answers, [{ doubled: 2 }, { doubled: 4 }, { doubled: 6 }]);
      for (const end of ends) await end();
      t.equal(await bus.request(channel, { n: 1 }, 5_000), undefined);
    });

    await t.test('a request that nobody can answer ends at once', async (t) => {
      const channel = kit.topic();
      const start = performance.now();
      t.equal(await bus.request(channel, {}, 60_000), undefined, 'there is no responder');
      await bus.respond(channel, async () => undefined);
      t.equal(await bus.request(channel, {}, 60_000), undefined, 'no responder has an answer');
      t.ok(performance.now() - start < 30_000);
    });

    await t.test('a request times out', async (t) => {
      const channel = kit.topic();
      await bus.respond(channel, () => new Promise(() => {}));
      t.equal(await bus.request(channel, {}, 50), undefined);
    });

    if (kit.name === 'redis') {
      await t.test('messages reach other instances, which can answer', async (t) => {
        const channel = kit.topic();
        const [second, third] = [await kit.open(), await kit.open()];
        const there = inbox();
        await second.bus.subscribe(channel, there.take);
        await bus.publish(channel, { hello: 'there' });
        t.same(await there.until(1), [{ hello: 'there' }]);
        await second.bus.respond(channel, async () => undefined);
        await third.bus.respond(channel, async () => ({ from: 'third' }));
        t.same(await bus.request(channel, {}, 5_000), { from: 'third' });
        await third.close();
        t.equal(await bus.request(channel, {}, 5_000), undefined);
      });
    }
  }),
);
