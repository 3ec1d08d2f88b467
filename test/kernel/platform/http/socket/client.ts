import { once } from 'node:events';
import joi from 'joi';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { sentFrames } from '../../../../../kernel/platform/http/socket/kernel-frames.js';
import { assertDeclared } from '../../../../helpers/declared.js';
import { until } from '../../../../helpers/eventually.js';

const kernelFrames = sentFrames(joi);

export interface Received {
  type: string;
  data: Record<string, unknown>;
  id?: string | number;
  cursor?: string;
  ts?: string;
}

/** A bare WebSocket client that remembers what it got. */
export class Client {
  readonly ws: WebSocket;
  readonly frames: Received[] = [];
  closed: { code: number; reason: string } | undefined;
  #seen = 0;

  constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Received;
      // The kernel's own frames are held to what is documented; those of extensions are when they are pushed.
      if (Object.hasOwn(kernelFrames, frame.type)) assertDeclared(sentFrames, frame);
      this.frames.push(frame);
    });
    ws.on('close', (code, reason) => (this.closed = { code, reason: String(reason) }));
    ws.on('error', () => undefined);
  }

  send(frame: object | string): void {
    this.ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** The next frame of a type, among those that were not asked for yet. */
  async next(type: string): Promise<Received> {
    const at = await until(
      () => this.frames.findIndex((frame, index) => index >= this.#seen && frame.type === type),
      (found) => found >= 0,
    ).catch(() => {
      throw new Error(
        `No '${type}' came, but ${JSON.stringify(this.frames.slice(this.#seen)).slice(-500)}; closed: ${JSON.stringify(this.closed)}`,
      );
    });
    this.#seen = at + 1;
    return this.frames[at] as Received;
  }

  of(type: string): Received[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  async end(): Promise<{ code: number; reason: string }> {
    return (await until(
      () => this.closed,
      (found) => found !== undefined,
    )) as { code: number; reason: string };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.ws.close();
    await this.end();
  }
}

export interface ConnectOptions {
  token?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Opens a socket at `/ws`; ended after the test. */
export async function connect(t: Test, url: string, { token, query = {}, headers = {} }: ConnectOptions = {}): Promise<Client> {
  const address = new URL('/ws', url.replace(/^http/, 'ws'));
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  const ws = new WebSocket(address, { headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers } });
  t.teardown(() => ws.terminate());
  const client = new Client(ws);
  await once(ws, 'open');
  return client;
}
