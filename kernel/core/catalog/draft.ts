import assert from 'node:assert/strict';
import type { ChannelDeliver, ChannelDescription } from '../../contract/channel.js';
import type { CheckResult, Delivery, Repeat } from '../../contract/extension.js';
import type { Example } from '../../contract/operation.js';
import type { Site } from '../../contract/site.js';
import type { FrameHandler, FrameSchema, PushedFrames, Readers } from '../../contract/socket.js';
import type { ActiveDoor, ActiveOperation } from './catalog.js';
import type { LabelledCounter } from './counter.js';

export interface Listener {
  topic: string;
  handler: (delivery: Delivery<unknown>) => Promise<void>;
}

export interface TransactionalListener {
  topic: string;
  handler: (payload: unknown) => Promise<void>;
}

export interface Check {
  code: string;
  probe: () => Promise<CheckResult | undefined>;
}

export interface Metric {
  name: string;
  help: string;
  read: () => number | Promise<number>;
}

export interface Channel {
  description: ChannelDescription;
  deliver: ChannelDeliver;
}

export interface Job {
  repeat: Repeat;
  work: () => Promise<void>;
}

/** The handler of a type of frames that clients send. */
export interface FrameRegistration {
  schema: FrameSchema;
  handler: FrameHandler;
}

/** Names of socket topics and frame types. */
const socketName = /^[a-z][a-z0-9._-]{0,63}$/;

/** Contributions of an activation: collected while `activate` runs, then published or dropped as a whole. */
export class Draft {
  readonly operations = new Map<string, ActiveOperation>();
  readonly slots = new Map<string, unknown[]>();
  readonly listeners: Listener[] = [];
  readonly transactionalListeners: TransactionalListener[] = [];
  readonly checks: Check[] = [];
  readonly metrics: Metric[] = [];
  readonly counters: LabelledCounter[] = [];
  /** Channels that a plugin's process contributes; extensions in the platform's process use a slot. */
  readonly channels: Channel[] = [];
  readonly jobs: Job[] = [];
  readonly doors: ActiveDoor[] = [];
  readonly topics = new Map<string, Readers>();
  readonly frames = new Map<string, FrameRegistration>();
  /** Worked examples of operations, by id. */
  examples: Readonly<Record<string, (() => Example) | undefined>> = {};
  /** Declared frames that the extension pushes. */
  pushed: PushedFrames | undefined;
  service: object | undefined;
  /** The web app. */
  site: Site | undefined;
  #sealed = false;

  /** Rejects later contributions, which would never be published. */
  seal(): void {
    this.#sealed = true;
  }

  assertOpen(what: string): void {
    assert(!this.#sealed, `${what} after activate() has returned`);
  }

  contribute(slot: string, value: unknown): void {
    this.assertOpen('contribute()');
    const values = this.slots.get(slot) ?? [];
    values.push(value);
    this.slots.set(slot, values);
  }

  counter(counter: LabelledCounter): LabelledCounter {
    this.assertOpen('counter()');
    this.counters.push(counter);
    return counter;
  }

  topic(name: string, readers: Readers): void {
    this.assertOpen('topic()');
    assert(socketName.test(name) && !this.topics.has(name), `'${name}' can't be the name of a topic, or is one already`);
    this.topics.set(name, readers);
  }

  frame(type: string, taker: FrameRegistration): void {
    this.assertOpen('frame()');
    assert(socketName.test(type) && !this.frames.has(type), `'${type}' can't be a type of frames, or is one already`);
    this.frames.set(type, taker);
  }

  pushes(frames: PushedFrames): void {
    this.assertOpen('pushes()');
    assert(this.pushed === undefined, 'pushes() was called twice');
    this.pushed = frames;
  }

  provide(service: object): void {
    this.assertOpen('provide()');
    assert(this.service === undefined, 'provide() was called twice');
    this.service = service;
  }
}
