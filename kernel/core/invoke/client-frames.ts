import { randomUUID } from 'node:crypto';
import joi, { type ObjectSchema } from 'joi';
import type { Frame, FrameSender, Readers } from '../../contract/socket.js';
import type { Activation } from '../catalog/catalog.js';
import type { Draft, FrameRegistration } from '../catalog/draft.js';
import type { Requests } from './request.js';
import { validate } from './validate.js';

type Running = Activation & { readonly draft: Draft };

export interface ClientFramesOptions {
  requests: Requests;
  /** Returns the running extensions. */
  running: () => Iterable<Running>;
  /** The kernel's own topics. */
  topics: Readonly<Record<string, Readers>>;
}

/** Topics and frame handlers of the extensions. Looked up for each frame, so that the running version handles it. */
export class ClientFrames {
  readonly #options: ClientFramesOptions;
  /** Compiled schemas, made at first use and garbage-collected with their version. */
  readonly #schemas = new WeakMap<FrameRegistration, ObjectSchema>();

  constructor(options: ClientFramesOptions) {
    this.#options = options;
  }

  readers(topic: string): Readers | undefined {
    const { topics, running } = this.#options;
    if (Object.hasOwn(topics, topic)) return topics[topic];
    for (const { draft } of running()) if (draft.topics.has(topic)) return draft.topics.get(topic);
    return undefined;
  }

  /** Runs the handler of a frame as its sender; false if no extension handles that type. */
  async receive({ type, data }: Frame, sender: FrameSender): Promise<boolean> {
    for (const running of this.#options.running()) {
      const registration = running.draft.frames.get(type);
      if (!registration) continue;
      await this.#handle(running, { registration, data, sender });
      return true;
    }
    return false;
  }

  async #handle(
    running: Running,
    { registration, data, sender }: { registration: FrameRegistration; data: object; sender: FrameSender },
  ): Promise<void> {
    const value = validate(this.#schemaOf(registration), data);
    const { caller } = sender;
    running.enter();
    try {
      await this.#options.requests.run({ request_id: randomUUID(), caller, origin: caller.door }, () =>
        registration.handler(value, sender),
      );
    } finally {
      running.leave();
    }
  }

  #schemaOf(registration: FrameRegistration): ObjectSchema {
    const made = this.#schemas.get(registration) ?? registration.schema(joi);
    this.#schemas.set(registration, made);
    return made;
  }
}
