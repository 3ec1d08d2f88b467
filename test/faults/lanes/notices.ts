import { contentOf } from '../asker.js';
import { type Lane, notOnce, type World } from './lane.js';

const page = 200;

interface Notification {
  id: number;
  title: string;
  count: number;
}

/** The titles of the notifications that begin with these words, each as often as it was counted. */
export async function noticesOf({ asker }: World, start: string): Promise<string[]> {
  // One that comes meanwhile puts another on the next page, where it is met again.
  const found = new Map<number, Notification>();
  for (let number = 1; ; number += 1) {
    const path = `/api/notifications?limit=${page}&page=${number}&status=all`;
    const { notifications } = contentOf<{ notifications: Notification[] }>(await asker.ask({ method: 'GET', path }));
    for (const each of notifications) if (each.title.startsWith(start)) found.set(each.id, each);
    if (notifications.length < page) return [...found.values()].flatMap(({ title, count }) => new Array<string>(count).fill(title));
  }
}

/** Notifications, each of which is sent once. */
export class Notices implements Lane {
  readonly name = 'notifications';
  readonly #world: World;
  readonly #titles: string[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get acknowledged(): number {
    return this.#titles.length;
  }

  async write(): Promise<void> {
    const { asker, run } = this.#world;
    const title = `${run} notice ${this.#titles.length + 1}`;
    await asker.ask({ method: 'POST', path: '/api/notifications', body: { title }, idempotency_key: title });
    this.#titles.push(title);
  }

  async faults(): Promise<string[]> {
    return notOnce(this.#titles, await noticesOf(this.#world, `${this.#world.run} notice `));
  }
}
