import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { password } from '../bench/log-in.js';
import type { Visitor } from './visitor.js';

/** A kind of work, and how often a day has it. */
export interface Deed {
  name: string;
  times: number;
  work: (visitor: Visitor) => Promise<unknown>;
}

interface Sent {
  message_id: string;
  session_id: string;
}

const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwAChAGA60e6kgAAAABJRU5ErkJggg==', 'base64');

/** An image that nobody else sends. */
function image(): string {
  return `data:image/png;base64,${Buffer.concat([pixel, Buffer.from(randomUUID())]).toString('base64')}`;
}

function send(visitor: Visitor, content: string, images: readonly string[] = []): Promise<Sent> {
  return visitor.ask<Sent>({ method: 'POST', path: '/api/chat/send', body: { content, images } });
}

function forget(visitor: Visitor, { session_id }: Sent): Promise<unknown> {
  return visitor.ask({ method: 'DELETE', path: `/api/chat/sessions/${session_id}` });
}

/** A message, its streamed reply, the list, and the end of the session. */
async function converse(visitor: Visitor): Promise<void> {
  const sent = await send(visitor, '/help');
  const reply = await visitor.follow(`/api/chat/stream/${sent.message_id}`);
  if (!reply.includes('event: done')) throw new Error('A reply ended without its end');
  await visitor.ask({ method: 'GET', path: `/api/chat/messages?session_id=${sent.session_id}` });
  await forget(visitor, sent);
}

async function showImage(visitor: Visitor): Promise<void> {
  await forget(visitor, await send(visitor, 'Look', [image()]));
}

async function browse(visitor: Visitor): Promise<void> {
  await visitor.ask({ method: 'GET', path: '/api/chat/sessions' });
  await visitor.ask({ method: 'GET', path: '/api/members?keyword=a' });
  await visitor.ask({ method: 'POST', path: '/api/x/hello/slow', body: { ms: 50 } });
}

async function logIn(visitor: Visitor): Promise<void> {
  const body = { username: 'admin', password };
  const { access_token: token } = await visitor.ask<{ access_token: string }>({ method: 'POST', path: '/api/auth/login', body });
  await visitor.ask({ method: 'GET', path: '/api/auth/me', token });
  await visitor.ask({ method: 'POST', path: '/api/auth/logout', token });
}

async function notify(visitor: Visitor): Promise<void> {
  await visitor.ask({ method: 'POST', path: '/api/notifications', body: { title: randomUUID() } });
  await visitor.ask({ method: 'GET', path: '/api/notifications' });
  await visitor.ask({ method: 'POST', path: '/api/notifications/batch-read', body: { all: true } });
}

async function schedule(visitor: Visitor): Promise<void> {
  const path = '/api/admin/schedules';
  const trigger = { trigger_type: 'interval', trigger_value: '1h', action: 'notifications.send', params: { title: 'Ran' } };
  const { id } = await visitor.ask<{ id: number }>({ method: 'POST', path, body: { name: randomUUID(), ...trigger } });
  await visitor.ask({ method: 'POST', path: `${path}/${id}/run` });
  for (let tries = 0; tries < 100; tries += 1) {
    const { items } = await visitor.ask<{ items: { status: string }[] }>({ method: 'GET', path: `${path}/${id}/history` });
    if (items[0]?.status === 'success') break;
    if (tries === 99) throw new Error(`A run of a schedule is ${items[0]?.status}`);
    await pause(100);
  }
  await visitor.ask({ method: 'DELETE', path: `${path}/${id}` });
}

async function err(visitor: Visitor): Promise<void> {
  await visitor.ask({ method: 'GET', path: '/api/chat/sessions', token: 'nobody', status: 401 });
  await visitor.ask({ method: 'GET', path: `/api/chat/sessions/${randomUUID()}`, status: 404 });
  await visitor.ask({ method: 'POST', path: '/api/chat/send', body: { content: 7 }, status: 400 });
}

async function keepUp(visitor: Visitor): Promise<void> {
  await visitor.ask({ method: 'POST', path: '/api/admin/maintenance/cleanup' });
}

async function backUp(visitor: Visitor): Promise<void> {
  await visitor.ask({ method: 'POST', path: '/api/admin/maintenance/backup', body: { keep: 1 } });
}

/** Work of an organisation of a hundred in 24 hours. */
export const day: readonly Deed[] = [
  { name: 'browse', times: 12_000, work: browse },
  { name: 'converse', times: 1_800, work: converse },
  { name: 'leave a stream early', times: 600, work: (visitor) => visitor.leaveEarly('/api/x/hello/count?to=1000&every_ms=5') },
  { name: 'notify', times: 1_200, work: notify },
  { name: 'make mistakes', times: 600, work: err },
  { name: 'search', times: 600, work: (visitor) => visitor.ask({ method: 'GET', path: '/api/chat/messages/search?q=help' }) },
  { name: 'be connected', times: 300, work: (visitor) => visitor.connect(false) },
  { name: 'be cut off', times: 300, work: (visitor) => visitor.connect(true) },
  { name: 'log in and out', times: 300, work: logIn },
  { name: 'schedule', times: 300, work: schedule },
  { name: 'show an image', times: 150, work: showImage },
  { name: 'clean up', times: 24, work: keepUp },
  { name: 'back up', times: 4, work: backUp },
];
