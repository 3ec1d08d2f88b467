import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { type Delivery, Undelivered } from '../../../extensions/notifications/channels/channel.js';
import type { Notification, NotificationDetail, NotificationsApi } from '../../../extensions/notifications/contract.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { http } from '../../../kernel/client/http.js';
import type { Loft, Notice, Pigeon } from '../../fixtures/extensions/pigeon/contract.js';
import { eachPlatform } from '../../helpers/cluster.js';
import { until } from '../../helpers/eventually.js';
import { fixture, ownExtension, type PlatformOptions, type TestPlatform } from '../../helpers/platform.js';
import { connect as openSocket, type Client as Socket } from '../../kernel/platform/http/socket/client.js';
import { someone as anybody, type Someone } from '../chat/world.js';

export { administrator } from '../chat/world.js';

const loft: Loft = { send: async () => undefined };
Object.assign(globalThis, { loft });

export const refused = (...why: ConstructorParameters<typeof Undelivered>): Error => new Undelivered(...why);

/** Sets the behaviour of the fixture's channel in all platforms of this process; returns the messages that it was sent. */
export function fly(send: (delivery: Delivery) => Promise<void> | void = () => undefined): Delivery[] {
  const flown: Delivery[] = [];
  loft.send = async (delivery) => {
    flown.push(delivery);
    await send(delivery);
  };
  return flown;
}

export const extensions = [ownExtension('members'), ownExtension('notifications'), fixture('pigeon')];

export const withChat: PlatformOptions = {
  extensions: [ownExtension('chat'), ownExtension('agents'), ...extensions],
};

/** Runs a subtest on SQLite with the memory bus, and one on PostgreSQL with Redis. */
export function onEach(
  t: Test,
  work: (t: Test, platform: TestPlatform, again: () => Promise<TestPlatform>) => Promise<void>,
  options: PlatformOptions = {},
): Promise<void> {
  return eachPlatform(t, { extensions, ...options }, work);
}

export type Notified = Client<NotificationsApi>['notifications'];

export interface Person extends Pick<Someone, 'id' | 'name' | 'token'> {
  /** Over HTTP, and without a network. */
  http: Notified;
  direct: Notified;
}

export async function someone(t: Test, platform: TestPlatform): Promise<Person> {
  const { id, name, token } = await anybody(t, platform);
  const operations = platform.kernel.operations();
  const caller = await platform.kernel.tokenCaller(token, 'direct');
  return {
    id,
    name,
    token,
    http: notificationsOf(t, platform, token),
    direct: connect<NotificationsApi>(operations, direct(platform.kernel, caller)).notifications,
  };
}

/** The notifications of whoever has a token, over HTTP. */
export function notificationsOf(t: Test, { kernel, url }: TestPlatform, token: string): Notified {
  const transport = http({ url, token });
  t.teardown(() => transport.close());
  return connect<NotificationsApi>(kernel.operations(), transport).notifications;
}

export function pigeon({ kernel }: TestPlatform): Client<Pigeon['api']>['pigeon'] {
  return connect<Pigeon['api']>(kernel.operations(), direct(kernel)).pigeon;
}

/** Notifies by the service; gives the ids. */
export async function notify(platform: TestPlatform, notice: Partial<Notice> & Pick<Notice, 'to'>): Promise<number[]> {
  const given = { source: 'system', title: `About ${randomUUID()}`, summary: '', ...notice };
  return (await pigeon(platform).notify({ notice: given, then_fail: false })).ids;
}

export const all = { status: 'all', source: '', page: 1, limit: 20 } as const;

/** The latest, as a list shows them that marks nothing as sent. */
export async function pending(client: Notified): Promise<Notification[]> {
  return (await client.list({ ...all, status: 'pending' })).notifications;
}

export async function socket(t: Test, platform: TestPlatform, who: Pick<Someone, 'token'>): Promise<Socket> {
  const client = await openSocket(t, platform.url, who);
  await client.next('hello');
  return client;
}

/** Waits until a notification is as it is wanted. */
export function reaches(client: Notified, id: number, accept: (found: NotificationDetail) => boolean): Promise<NotificationDetail> {
  return until(() => client.get({ id }), accept);
}
