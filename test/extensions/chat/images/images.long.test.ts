import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import t from 'tap';
import type { ImageInput, Message } from '../../../../extensions/chat/contract.js';
import { eachPlatform } from '../../../helpers/cluster.js';
import { until } from '../../../helpers/eventually.js';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.js';
import { startSecureServer } from '../../../helpers/secure-server.js';
import { dataUrl, gif, jpeg, png, webp } from '../pictures.js';
import { gate, onOneAndTwo, scripted } from '../scribe.js';
import { administrator, collect, failureOf, onEachPlatform, type PlatformClient, type Someone, someone } from '../world.js';

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function notes(client: PlatformClient): Promise<string> {
  return (await client.sessions.create({ title: 'Notes', target_type: '', target_id: '' })).id;
}

/** Sends images into notes; gives the message. */
async function show(client: PlatformClient, images: ImageInput[], content = ''): Promise<Message> {
  const { message_id } = await client.chat.send({ content, images, session_id: await notes(client) });
  return client.messages.get({ message_id });
}

const get = (platform: TestPlatform, url: string, headers: Record<string, string> = {}) => fetch(`${platform.url}${url}`, { headers });

const bearer = ({ token }: Someone) => ({ authorization: `Bearer ${token}` });

t.test('images are stored, visible to members of the session, and harmless in a browser', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [ada, bob, eve] = [await someone(t, one), await someone(t, one), await someone(t, two)];
    const { session_id } = await ada.http.contacts.start({ member_id: bob.id });
    const bytes = png(3, 4, ada.id);
    const url = `/api/chat/images/${hashOf(bytes)}`;
    const images = [dataUrl(bytes, 'text/html'), { url: dataUrl(jpeg()), mime_type: 'image/png', name: 'A photo.jpg' }];
    const { message_id } = await ada.http.chat.send({ content: '', images, session_id });
    const sent = await bob.http.messages.get({ message_id });
    t.same(sent.images, [
      { url, mime_type: 'image/png' },
      { url: `/api/chat/images/${hashOf(jpeg())}`, mime_type: 'image/jpeg', name: 'A photo.jpg' },
    ]);
    t.match(await bob.http.sessions.get({ session_id }), { last_message_preview: 'Image', unread_count: 1 });

    const answer = await get(two, url, bearer(bob));
    t.equal(answer.status, 200);
    t.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes));
    t.match(Object.fromEntries(answer.headers), {
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none', sandbox",
      'cache-control': 'private, no-cache',
      etag: `"${hashOf(bytes)}"`,
    });
    t.equal((await get(two, url, { ...bearer(bob), 'if-none-match': `"x", W/"${hashOf(bytes)}"` })).status, 304);
    t.equal(
      (await get(two, url, { ...bearer(eve), 'if-none-match': `"${hashOf(bytes)}"` })).status,
      404,
      'a cache validator does not reveal the image',
    );
    t.equal((await get(one, `${url}?token=${bob.token}`)).status, 200, 'a token in the query works, as for an <img>');
    const { ticket } = await bob.http.auth.ticket();
    t.equal((await get(one, `${url}?ticket=${ticket}`)).status, 200);
    t.equal((await get(one, `${url}?ticket=${ticket}`)).status, 401, 'a ticket works once');
    t.equal((await get(one, url)).status, 401);
    const hash = hashOf(bytes);
    for (const client of [bob.http, bob.direct]) t.same(await client.images.get({ hash }), { mime_type: 'image/png', bytes, etag: hash });

    const absent = { code: 'image_not_found', status: 404 };
    for (const client of [eve.http, eve.direct, administrator(one)]) t.same(await failureOf(client.images.get({ hash })), absent);
    t.equal((await get(one, url, bearer(eve))).status, 404);
    t.same(await failureOf(ada.http.images.get({ hash: hashOf(gif()) })), absent);
    await bob.http.sessions.delete({ session_id });
    t.same(await failureOf(bob.http.images.get({ hash })), absent, 'an image of a hidden session is not found');
  });
});

t.test('equal images are stored once and deleted with the last session that uses them', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
    const bytes = png(1, 1, ada.id);
    const hash = hashOf(bytes);
    const first = await show(ada.http, [dataUrl(bytes), dataUrl(bytes)], 'Twice');
    const second = await show(bob.http, [dataUrl(bytes)]);
    await ada.http.sessions.delete({ session_id: first.session_id });
    t.same(await failureOf(ada.http.images.get({ hash })), { code: 'image_not_found', status: 404 });
    t.ok((await bob.http.images.get({ hash })).bytes.equals(bytes));
    const third = await show(ada.http, [dataUrl(bytes)]);
    await bob.http.sessions.delete({ session_id: second.session_id });
    t.ok((await ada.http.images.get({ hash })).bytes.equals(bytes));
    await administrator(platform).members.delete({ id: ada.id });
    t.equal(third.images.length, 1);
    await show(bob.http, [dataUrl(bytes)], 'It can be sent again');
    t.ok((await bob.http.images.get({ hash })).bytes.equals(bytes));
  });
});

t.test('a repeated send stores its images once, even if fetched', async (t) => {
  let asked = 0;
  const url = await startSecureServer(t, (_request, response) => {
    asked += 1;
    response.end(png());
  });
  await eachPlatform(t, { settings: { fetch_allow: '127.0.0.1' } }, async (t, platform) => {
    asked = 0;
    const client = administrator(platform);
    const input = { content: 'Look', images: [`${url}/a.png`], session_id: await notes(client) };
    const first = await client.chat.send(input, { idempotency_key: 'k1' });
    t.same(await client.chat.send(input, { idempotency_key: 'k1' }), first);
    t.equal(asked, 1);
    t.same(await failureOf(client.chat.send({ ...input, content: 'Other' }, { idempotency_key: 'k1' })), {
      code: 'idempotency_key_reused',
      status: 409,
    });
    t.equal((await client.messages.list({ session_id: input.session_id, limit: 50 })).length, 1);
  });
});

const answers: Record<string, RequestListener> = {
  '/good': (_request, response) => response.end(webp('VP8X', 5, 5)),
  '/html': (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('<script>alert(1)</script>'),
  '/gone': (_request, response) => response.writeHead(404).end(png()),
  '/private': (_request, response) => response.writeHead(302, { location: 'https://10.0.0.1/' }).end(),
  '/metadata': (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  '/big': (_request, response) => response.end(Buffer.concat([png(), Buffer.alloc(21 * 1024 * 1024)])),
  '/endless': (_request, response) => {
    const more = () => {
      if (!response.destroyed) response.write(Buffer.alloc(65_536), more);
    };
    more();
  },
  '/cut': (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('GIF');
    setTimeout(() => response.destroy(), 20);
  },
};

t.test('fetching images is guarded and limited', async (t) => {
  const url = await startSecureServer(t, (request, response) => answers[request.url ?? '']?.(request, response));
  await eachPlatform(t, { settings: { fetch_allow: '127.0.0.1' } }, async (t, platform) => {
    const client = administrator(platform);
    t.match((await show(client, [{ url: `${url}/good`, mime_type: 'image/png', name: 'Good' }])).images, [
      { mime_type: 'image/webp', name: 'Good' },
    ]);
    const refusals: [string, string, number][] = [
      ['/html', 'unsupported_media_type', 415],
      ['/gone', 'image_unavailable', 502],
      ['/private', 'invalid_input', 400],
      ['/metadata', 'invalid_input', 400],
      ['/big', 'payload_too_large', 413],
      ['/endless', 'payload_too_large', 413],
      ['/cut', 'image_unavailable', 502],
    ];
    for (const [path, code, status] of refusals) t.same(await failureOf(show(client, [url + path])), { code, status }, path);
    for (const bad of [
      `https://${new URL(platform.url).host}/`,
      'https://[::1]/',
      'https://10.0.0.1/',
      'https://169.254.169.254/',
      url.replace('https', 'http'),
      'ftp://x/',
      'file:///etc/passwd',
      '/api/chat/images/x',
      '',
    ]) {
      t.match(await failureOf(show(client, [bad])), { code: 'invalid_input', status: 400 }, bad);
    }
  });
});

t.test('a session deleted during an image fetch stays deleted', async (t) => {
  await eachPlatform(t, { settings: { fetch_allow: '127.0.0.1' } }, async (t, platform) => {
    const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
    const own = await notes(ada.http);
    const { session_id: shared } = await ada.http.contacts.start({ member_id: bob.id });
    await bob.http.chat.send({ content: 'Hello', session_id: shared });
    for (const session_id of [own, shared]) {
      const asked = gate();
      const deleted = gate();
      const url = await startSecureServer(t, async (_request, response) => {
        asked.open();
        await deleted.passed;
        response.end(png());
      });
      const sent = failureOf(ada.http.chat.send({ content: 'Look', images: [url], session_id }));
      await Promise.race([asked.passed, sent]);
      await ada.http.sessions.delete({ session_id });
      deleted.open();
      t.same(await sent, { code: 'session_not_found', status: 404 });
    }
    t.same(await ada.http.sessions.list({ limit: 20, offset: 0 }), []);
    t.equal((await bob.http.messages.list({ session_id: shared, limit: 20 })).length, 1, 'nothing of the message is stored');
  });
});

t.test('a hostile image is rejected, and nothing of its message is stored', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ada = await someone(t, platform);
    const session_id = await notes(ada.http);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const hostile: [string, ImageInput[], string, number][] = [
      ['an SVG with a script', [dataUrl(svg, 'image/svg+xml')], 'unsupported_media_type', 415],
      ['one that says it is a PNG', [dataUrl(svg, 'image/png')], 'unsupported_media_type', 415],
      ['nothing', ['data:image/png;base64,'], 'unsupported_media_type', 415],
      ['no base64', ['data:image/png,abc'], 'invalid_input', 400],
      ['no comma', [`data:image/png;base64${'A'.repeat(1_000)}`], 'invalid_input', 400],
      ['a bomb', [dataUrl(png(60_000, 60_000))], 'payload_too_large', 413],
      ['a bomb among others', [dataUrl(gif()), dataUrl(webp('VP8X', 16_000_000, 16_000_000))], 'payload_too_large', 413],
      ['eleven', Array.from({ length: 11 }, () => dataUrl(gif())), 'invalid_input', 400],
    ];
    for (const [name, images, code, status] of hostile) {
      for (const client of [ada.http, ada.direct]) {
        t.same(await failureOf(client.chat.send({ content: 'Look', images, session_id })), { code, status }, name);
      }
    }
    const big = dataUrl(Buffer.concat([png(), Buffer.alloc(21 * 1024 * 1024)]));
    t.same(await failureOf(ada.http.chat.send({ content: '', images: [big], session_id })), { code: 'payload_too_large', status: 413 });
    t.match(
      await failureOf(ada.direct.chat.send({ content: '', images: [big], session_id })),
      { status: 400 },
      "an image longer than the schema's limit is rejected",
    );
    const halves = [10.5, 10.5].map((size) => dataUrl(Buffer.concat([png(), Buffer.alloc(size * 1024 * 1024)])));
    t.same(await failureOf(ada.direct.chat.send({ content: '', images: halves, session_id })), { code: 'payload_too_large', status: 413 });
    t.same(await failureOf(ada.http.chat.send({ content: '', images: [], session_id })), { code: 'invalid_input', status: 400 });
    t.same(await ada.http.messages.list({ session_id, limit: 50 }), []);
    const large = Buffer.concat([png(), Buffer.alloc(14 * 1024 * 1024)]);
    const [shown] = (await show(ada.http, [dataUrl(large)])).images;
    t.ok((await ada.http.images.get({ hash: shown?.url.slice(-64) as string })).bytes.equals(large), '14 MiB are returned');
  });
});

t.test('an answerer gets only images of its session', async (t) => {
  await onOneAndTwo(t, async (t, [one]) => {
    const client = administrator(one);
    const bytes = png(2, 2, 7);
    const foreign = png(2, 2, 8);
    await show(client, [dataUrl(foreign)]);
    const seen: unknown[] = [];
    const message = await scripted(one, async (run) => {
      for (const image of run.message.images) seen.push(await run.image(image));
      for (const url of [`/api/chat/images/${hashOf(foreign)}`, '/api/chat/images/../x', 'https://x/'])
        seen.push(await failureOf(run.image({ url })));
    });
    const sent = await client.chat.send({ ...message, images: [dataUrl(bytes)] });
    await collect(client.messages.stream({ message_id: sent.message_id }));
    const absent = { code: 'image_not_found', status: 404 };
    t.same(seen, [{ mime_type: 'image/png', bytes }, absent, absent, absent]);
  });
});

t.test('the images of a deleted session are deleted from disk', async (t) => {
  const platform = await startPlatform(t);
  const client = administrator(platform);
  const bytes = png(1, 1, 99);
  const { session_id } = await show(client, [dataUrl(bytes)]);
  const hash = hashOf(bytes);
  const there = () => existsSync(`${platform.data_dir}/blobs/${hash.slice(0, 2)}/${hash.slice(2)}`);
  t.ok(there());
  await client.sessions.delete({ session_id });
  await until(there, (still) => !still);
});
