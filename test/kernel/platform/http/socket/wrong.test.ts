import { connect as connectTo } from 'node:net';
import t from 'tap';
import { startWorld } from './world.js';

const world = await startWorld(t);
const { url } = world;
const ann = await world.person('ann');

t.test('an invalid frame is answered with its fault, and the socket stays open', async (t) => {
  const client = await world.socket(ann);
  const deep = `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`;
  const wrong: [string | Buffer, object][] = [
    ['', { code: 'malformed_frame', statusCode: 400, error: 'Bad Request', message: 'The frame is not valid JSON' }],
    ['{"type":', { code: 'malformed_frame' }],
    ['null', { code: 'malformed_frame', message: 'A frame must be a JSON object' }],
    ['[{"type":"ping"}]', { code: 'malformed_frame' }],
    ['"ping"', { code: 'malformed_frame' }],
    ['{}', { code: 'malformed_frame' }],
    ['{"type":7}', { code: 'malformed_frame' }],
    ['{"type":"ping","id":{"a":1}}', { code: 'malformed_frame' }],
    [`{"type":"ping","id":"${'x'.repeat(101)}"}`, { code: 'malformed_frame' }],
    ['{"type":"ping","data":[]}', { code: 'malformed_frame' }],
    ['{"type":"ping","data":null}', { code: 'malformed_frame' }],
    [`{"type":"ping","data":${deep}}`, { code: 'malformed_request' }],
    ['{"type":"ping","data":{"__proto__":{"a":1}}}', { code: 'malformed_request' }],
    ['{"type":"ping","data":{"a":"\\u0000"}}', { code: 'malformed_request' }],
    ['{"type":"ping","data":{"a":"\\ud800"}}', { code: 'malformed_request' }],
    ['{"type":"no.such"}', { code: 'unknown_frame', message: "Unknown frame type 'no.such'" }],
    ['{"type":"constructor"}', { code: 'unknown_frame' }],
    ['{"type":"__proto__"}', { code: 'unknown_frame' }],
    ['{"type":"hello"}', { code: 'unknown_frame' }],
    [`{"type":"${'x'.repeat(1000)}"}`, { code: 'unknown_frame', message: /x{64}'$/ }],
    ['{"type":"auth","token":"again"}', { code: 'malformed_frame', message: 'This socket is already authenticated' }],
    ['{"type":"presence"}', { code: 'invalid_input', details: [{ path: 'status', message: String }] }],
    ['{"type":"presence","data":{"status":"offline"}}', { code: 'invalid_input' }],
    ['{"type":"subscribe"}', { code: 'invalid_input', details: [{ path: 'topics' }] }],
    ['{"type":"subscribe","data":{"topics":"log"}}', { code: 'invalid_input' }],
    ['{"type":"subscribe","data":{"topics":[]}}', { code: 'invalid_input' }],
    ['{"type":"subscribe","data":{"topics":["constructor"]}}', { code: 'topic_not_found' }],
    ['{"type":"frames.say","data":{"text":7}}', { code: 'invalid_input', details: [{ path: 'text' }] }],
    [Buffer.from('{"type":"ping"}'), { code: 'malformed_frame', message: 'Binary frames are not supported; send JSON in text frames' }],
  ];
  for (const [frame, expected] of wrong) {
    client.ws.send(frame);
    t.match((await client.next('error')).data, { request_id: String, ...expected }, String(frame).slice(0, 60));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  client.send({ type: 'ping', id: 1 });
  t.match(await client.next('pong'), { id: 1 });
  t.match(await client.next('ack'), { id: 1 });
  t.same(
    world.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('the answer to an invalid frame has its id', async (t) => {
  const client = await world.socket(ann);
  client.send('{"id":"x","data":[]}');
  t.match(await client.next('error'), { id: 'x' });
});

t.test('a frame of more than 64 KiB closes the socket with 1009, one of 64 KiB does not', async (t) => {
  const frame = (bytes: number) => JSON.stringify({ type: 'ping', data: { pad: '' } }).replace('""', `"${'x'.repeat(bytes - 33)}"`);
  t.equal(frame(65_536).length, 65_536);
  const client = await world.socket(ann);
  client.send(frame(65_536));
  await client.next('pong');
  client.send(frame(65_537));
  t.equal((await client.end()).code, 1009);
});

t.test('more than 50 frames a second close the socket with 1008', async (t) => {
  for (const flood of ['ping frames', 'pings of the protocol', 'pongs of the protocol']) {
    const client = await world.socket(ann);
    for (let n = 0; n < 60; n += 1) {
      if (flood === 'ping frames') client.send({ type: 'ping' });
      else if (flood.startsWith('pings')) client.ws.ping();
      else client.ws.pong();
    }
    t.same(await client.end(), { code: 1008, reason: 'too_many_frames' }, flood);
    t.match(client.of('error').at(-1), { data: { statusCode: 429, code: 'too_many_frames' } });
  }
});

t.test('a socket may send 40 frames a second indefinitely', async (t) => {
  const client = await world.socket(ann);
  for (let n = 0; n < 80; n += 1) {
    client.send({ type: 'ping', id: n });
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await client.next('ack');
  t.equal(client.closed, undefined);
});

t.test('text that is not UTF-8 closes the socket with 1007', async (t) => {
  const client = await world.socket(ann);
  client.ws.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
  t.equal((await client.end()).code, 1007);
});

t.test('frames that violate the protocol close the socket', async (t) => {
  const client = await world.socket(ann);
  // An unmasked frame, which no client may send.
  (client.ws as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(Buffer.from([0x81, 0x01, 0x41]));
  t.equal((await client.end()).code, 1002);
});

t.test('a request that is not a handshake is rejected', async (t) => {
  const ask = (head: string) =>
    new Promise<string>((resolve) => {
      let answer = '';
      const socket = connectTo(Number(new URL(url).port), '127.0.0.1', () => socket.end(head));
      socket.on('data', (bytes) => (answer += String(bytes))).on('close', () => resolve(answer));
    });
  const head = (lines: string[], target = '/ws') => [`GET ${target} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const version = 'Sec-WebSocket-Version: 13';
  t.match(await ask(head(upgrade)), /^HTTP\/1.1 400 .*"code":"malformed_request"/s);
  t.match(await ask(head([...upgrade, 'Sec-WebSocket-Key: short', version])), /^HTTP\/1.1 400 /);
  t.match(await ask(head([...upgrade, key, 'Sec-WebSocket-Version: 7'])), /^HTTP\/1.1 400 /);
  t.match(await ask(head(['Connection: Upgrade', 'Upgrade: other', key, version])), /^HTTP\/1.1 426 /);
  t.match(await ask(head([...upgrade, key, version]).replace('GET', 'POST')), /^HTTP\/1.1 400 /);
  t.match(await ask(head([...upgrade, key, version, 'Content-Length: 5'])), /^HTTP\/1.1 400 /);
  t.match(await ask(`${head([...upgrade, key, version, 'Transfer-Encoding: chunked'])}0\r\n\r\n`), /^HTTP\/1.1 400 /);
  t.match(await ask(head([...upgrade, key, version], '/other')), /^HTTP\/1.1 404 .*"code":"not_found"/s);
  t.match(await ask(head([...upgrade, key, version], '/ws/more')), /^HTTP\/1.1 404 /);
  t.match(await ask(head([...upgrade, key, version, 'Content-Length: 5'], '/other')), /^HTTP\/1.1 404 /);
  t.match(await ask(head([...upgrade, key, version, 'Host: y'])), /^HTTP\/1.1 400 /);
  t.match(await ask(head([])), /^HTTP\/1.1 426 Upgrade Required.*Upgrade: websocket.*"code":"upgrade_required"/is);
});

t.test('compression is not negotiated', async (t) => {
  const client = await world.socket(ann);
  t.equal(client.ws.extensions, '');
});
