/** Keeps a plugin busy over HTTP: streams that nobody reads on, and uploads that begin anew when they end. */

import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { get, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

interface Order {
  url: string;
  token: string;
  streams: number;
  uploads: number;
  upload_bytes: number;
  /** Limit of what all uploads send together; 0: as much as is accepted. */
  bytes_per_s: number;
}

let uploaded = 0;

process.on('message', (order: Order | 'stop') => {
  if (order === 'stop') process.send?.({ uploaded });
  else void begin(order);
});
process.on('SIGTERM', () => process.exit(0));
process.send?.({});

async function begin(order: Order): Promise<void> {
  await Promise.all(Array.from({ length: order.streams }, () => openStream(order)));
  const bytes = Buffer.alloc(order.upload_bytes, 'x');
  for (let n = 0; n < order.uploads; n += 1) void lane(order, bytes);
  process.send?.({});
}

/** Reads a first piece, and nothing more. */
function openStream({ url, token }: Order): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = get(`${url}/api/x/bench/much`, { headers: { authorization: `Bearer ${token}` }, agent: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`A stream was answered ${answer.statusCode}`));
      answer.once('data', () => {
        answer.pause();
        resolve();
      });
      answer.on('end', () => reject(new Error('A stream ended before its first piece')));
      answer.on('error', () => undefined);
    });
    asked.on('error', reject);
  });
}

async function lane(order: Order, bytes: Buffer): Promise<void> {
  for (;;) {
    await upload(order, bytes);
    uploaded += 1;
  }
}

const piece_bytes = 256 * 1024;

function upload({ url, token, uploads, bytes_per_s }: Order, bytes: Buffer): Promise<void> {
  const boundary = 'a-boundary-of-the-bench';
  const head = Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': head.length + bytes.length + tail.length,
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/x/bench/take`, { method: 'POST', headers, agent: false }, (answer: IncomingMessage) => {
      let text = '';
      answer.on('data', (piece: Buffer) => (text += piece.toString()));
      answer.on('end', () => {
        if (text === JSON.stringify({ bytes: bytes.length })) resolve();
        else reject(new Error(`An upload was answered ${answer.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    asked.on('error', reject);
    asked.write(head);
    void send(asked, bytes, bytes_per_s / uploads).then(() => asked.end(tail));
  });
}

/** All at once, or in pieces at this rate, as a network would bring them. */
async function send(to: ClientRequest, bytes: Buffer, bytes_per_s: number): Promise<void> {
  if (bytes_per_s === 0) {
    to.write(bytes);
    return;
  }
  const started = performance.now();
  for (let at = 0; at < bytes.length; at += piece_bytes) {
    const early_ms = (at / bytes_per_s) * 1000 - (performance.now() - started);
    if (early_ms > 1) await pause(early_ms);
    if (!to.write(bytes.subarray(at, at + piece_bytes))) await once(to, 'drain');
  }
}
