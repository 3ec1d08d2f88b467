import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { type Instances, startInstances } from '../helpers/instances.js';
import { type ModelServer, type Script, startModelServer } from '../helpers/model-server.js';
import { adminPassword } from '../helpers/platform.js';
import { Balanced, type EventReader, type StreamedEvent } from './balanced.js';

export interface World extends Instances {
  model: ModelServer;
  /** Through the balancer. */
  admin: Balanced & { token: string };
}

export interface Sent {
  message_id: string;
  session_id: string;
  task_id: string;
}

export const names = ['one', 'two', 'three'] as const;

export async function startWorld(t: Test): Promise<World> {
  const model = await startModelServer(t);
  const instances = await startInstances(t, names, {
    PLATFORM_MODEL_BASE_URL: model.url,
    PLATFORM_MODEL_NAME: 'test',
    PLATFORM_PLUGINS_TRUSTED: 'guest',
    PLATFORM_FETCH_ALLOW: '127.0.0.1',
  });
  t.teardown(() => {
    if (t.passing()) return;
    for (const instance of instances.all) t.comment(`${instance.name}:\n${graveLines(instance.log())}`);
  });
  return { ...instances, model, admin: await new Balanced(instances.url).as('admin', adminPassword) };
}

/** Explains a failure. */
function graveLines(log: string): string {
  const grave = log.split('\n').filter((line) => /"level":"?(error|warn|40|50)/.test(line));
  return grave.slice(-30).join('\n');
}

/** Counts until it is stopped. */
export const counting: Script = async (exchange) => {
  for (let n = 0; !exchange.isClosed; n += 1) {
    exchange.text(`${n} `);
    await sleep(15);
  }
};

export async function send({ admin }: World, content: string): Promise<Sent & { instance: string }> {
  const { body, instance } = await admin.ask<Sent>('POST', '/api/chat/send', { content, images: [], target_type: 'ai' });
  return { ...body, instance };
}

/** The stream of its reply, on whatever instance has its turn. */
export function follow({ admin }: World, { message_id }: Sent, after?: string): Promise<EventReader> {
  return admin.stream(`/api/chat/stream/${message_id}`, after);
}

/** The reply as it is stored. */
export async function stored({ admin }: World, { session_id, message_id }: Sent): Promise<{ content: string; status: string } | undefined> {
  const path = `/api/chat/messages?session_id=${session_id}&limit=100`;
  const { body } = await admin.ask<{ content: string; status: string; reply_to: string | null }[]>('GET', path);
  return body.find(({ reply_to }) => reply_to === message_id);
}

export const isDone = ({ type }: StreamedEvent): boolean => type === 'done';

/** Whether so much of a text has been told. */
export function told(pieces: number): (event: StreamedEvent) => boolean {
  let found = 0;
  return ({ type }) => type === 'message.delta' && ++found >= pieces;
}
