import type { ChannelRecord } from '../contract.js';
import { web } from '../preferences/preference.js';
import type { Channel } from './channel.js';

const name_shape = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** The channel `web`. It is not a {@link Channel} because nothing is sent; see `Announcer`. */
const webChannel = { name: web, title: 'This platform', fields: [] } as const;

/** Properties of a channel that don't involve sending. */
export type ChannelDescription = Pick<Channel, 'name' | 'title' | 'fields'>;

/** The channels that currently exist. */
export class Directory {
  readonly #builtin: readonly Channel[];
  readonly #contributed: () => readonly Channel[];

  constructor(builtin: readonly Channel[], contributed: () => readonly Channel[]) {
    this.#builtin = builtin;
    this.#contributed = contributed;
  }

  /** All except `web`, unique by name with the built-in ones first. Names that are invalid in settings are skipped. */
  get external(): Channel[] {
    const found = new Map<string, Channel>();
    for (const channel of [...this.#builtin, ...this.#contributed()]) {
      if (name_shape.test(channel.name) && channel.name !== web && !found.has(channel.name)) found.set(channel.name, channel);
    }
    return [...found.values()];
  }

  get all(): ChannelDescription[] {
    return [webChannel, ...this.external];
  }

  find(name: string): Channel | undefined {
    return this.external.find((channel) => channel.name === name);
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
