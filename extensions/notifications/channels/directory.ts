import type { ChannelRecord } from '../contract.js';
import { web } from '../preferences/chosen.js';
import type { Channel } from './channel.js';

const name_shape = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** The channel that needs nothing. It is no {@link Channel}: nothing is sent, see `Announcer`. */
const own = { name: web, title: 'This platform', fields: [] } as const;

/** What is asked of a channel before anything is sent. */
export type Described = Pick<Channel, 'name' | 'title' | 'fields'>;

/** The channels there are now. */
export class Directory {
  readonly #builtin: readonly Channel[];
  readonly #contributed: () => readonly Channel[];

  constructor(builtin: readonly Channel[], contributed: () => readonly Channel[]) {
    this.#builtin = builtin;
    this.#contributed = contributed;
  }

  /** All but `web`, each name once: the platform's own first. A name that no setting could have is left out. */
  get outside(): Channel[] {
    const found = new Map<string, Channel>();
    for (const channel of [...this.#builtin, ...this.#contributed()]) {
      if (name_shape.test(channel.name) && channel.name !== web && !found.has(channel.name)) found.set(channel.name, channel);
    }
    return [...found.values()];
  }

  get all(): Described[] {
    return [own, ...this.outside];
  }

  find(name: string): Channel | undefined {
    return this.outside.find((channel) => channel.name === name);
  }

  records(): ChannelRecord[] {
    return this.all.map(({ name, title, fields }) => ({
      name,
      title,
      fields: fields.map((field) => {
        const { name, label, secret, required, description } = field;
        return { name, label, secret, required, description };
      }),
    }));
  }
}
