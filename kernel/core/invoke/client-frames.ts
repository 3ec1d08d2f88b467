import { randomUUID } from 'node:crypto';
import joi, { type ObjectSchema } from 'joi';
import type { Frame, FrameSender, Readers } from '../../contract/socket.js';
import type { Activation } from '../catalog/catalog.js';
import type { Draft, FrameTaker } from '../catalog/draft.js';
import type { Requests } from './request.js';
import { validate } from './validate.js';

type Running = Activation & { readonly draft: Draft };

export interface ClientFramesOptions {
  requests: Requests;
  /** Returns the running snapshot. */
  running: () => Iterable<Running>;
  /** The kernel's own topics. */
  topics: Readonly<Record<string, Readers>>;
}

/** Socket registrations of the extensions, looked up each time so that the running version answers. */
export class ClientFrames {
  readonly #options: ClientFramesOptions;
  /** Made on their first use, and gone with the version that they belong to. */
  readonly #schemas = new WeakMap<FrameTaker, ObjectSchema>();

  constructor(options: ClientFramesOptions) {
    this.#options = options;
  }

  readers(topic: string): Readers | undefined {
    const { topics, running } = this.#options;
    if (Object.hasOwn(topics, topic)) return topics[topic];
    for (const { draft } of running()) if (draft.topics.has(topic)) return draft.topics.get(topic);
    return undefined;
  }

  /** Runs the handler of a frame as its sender; false where nobody handles that type. */
  async receive({ type, data }: Frame, sender: FrameSender): Promise<boolean> {
    for (const running of this.#options.running()) {
      const taker = running.draft.frames.get(type);
      if (!taker) continue;
      await this.#handle(running, { taker, data, sender });
      return true;
    }
    return false;
  }

  async #handle(running: Running, { taker, data, sender }: { taker: FrameTaker; data: object; sender: FrameSender }): Promise<void> {
    const value = validate(this.#schemaOf(taker), data);
    const { caller } = sender;
    running.enter();
    try {
      await this.#options.requests.run({ request_id: randomUUID(), caller, origin: caller.door }, () => taker.handler(value, sender));
    } finally {
      running.leave();
    }
  }

  #schemaOf(taker: FrameTaker): ObjectSchema {
    const made = this.#schemas.get(taker) ?? taker.schema(joi);
    this.#schemas.set(taker, made);
    return made;
  }
}
