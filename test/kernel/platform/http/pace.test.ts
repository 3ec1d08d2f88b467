import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { pace } from '../../../../kernel/platform/http/pace.js';

const bytes = 64 * 2 ** 20;
const text = 'what is sent, again and again; ';

/** Sends a body of 64 MiB; gives its hash there, and the most that was read of it in one turn. */
async function read(t: Test, paced: boolean): Promise<{ hash: string; max: number }> {
  const [found] = await new Promise<{ hash: string; max: number }[]>((resolve) => {
    const server = createServer((incoming, response) => {
      if (paced) pace(incoming);
      const hash = createHash('sha256');
      let [max, inTurn, over] = [0, 0, false];
      const turn = () => {
        inTurn = 0;
        if (!over) setImmediate(turn);
      };
      turn();
      const sink = new PassThrough({ highWaterMark: bytes });
      sink.on('data', (piece: Buffer) => {
        hash.update(piece);
        inTurn += piece.length;
        max = Math.max(max, inTurn);
      });
      sink.on('end', () => {
        over = true;
        response.end();
        resolve([{ hash: hash.digest('hex'), max }]);
      });
      // Until much has come, which one turn could take.
      setTimeout(() => incoming.pipe(sink), 500);
    }).listen(0, '127.0.0.1');
    t.teardown(() => server.close());
    void once(server, 'listening').then(() => {
      const { port } = server.address() as AddressInfo;
      send(port);
    });
  });
  return found as { hash: string; max: number };
}

/** From a process of its own, which sends while this one is busy. */
function send(port: number): ChildProcess {
  return spawn(process.execPath, [
    '-e',
    `require('node:http').request({ port: ${port}, method: 'POST' }).end(Buffer.alloc(${bytes}, '${text}'))`,
  ]);
}

t.test('a long body is read completely without blocking other work', async (t) => {
  const hash = createHash('sha256').update(Buffer.alloc(bytes, text)).digest('hex');
  // A piece has 64 KiB.
  const limit = (256 + 64) * 1024;
  const held = await read(t, true);
  t.equal(held.hash, hash);
  t.ok(held.max <= limit, `at most ${held.max} bytes in a turn`);
  // How much is there at once is the sender's affair: on a busy machine it may be little now and then.
  let control = await read(t, false);
  for (let tries = 1; tries < 10 && control.max <= limit; tries += 1) control = await read(t, false);
  t.ok(control.max > limit, `${control.max} bytes without the limit`);
  t.equal(control.hash, hash);
});

t.test('sending to a blocked client stops, and the rest is sent later', async (t) => {
  let taken = 0;
  let asleep = true;
  let waiting = () => {};
  const sink = new Writable({
    highWaterMark: 1,
    write(piece: Buffer, _encoding, done) {
      taken += piece.length;
      if (asleep) waiting = done;
      else done();
    },
  });
  const server = createServer((incoming, response) => {
    pace(incoming);
    incoming.pipe(sink);
    sink.on('finish', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const child = send((server.address() as AddressInfo).port);
  t.teardown(() => {
    child.kill('SIGKILL');
    server.close();
  });
  await once(server, 'request');
  await sleep(500);
  t.ok(sink.writableLength <= 2 * 65_536, `${sink.writableLength} bytes wait`);
  asleep = false;
  waiting();
  await once(sink, 'finish');
  t.equal(taken, bytes);
});
