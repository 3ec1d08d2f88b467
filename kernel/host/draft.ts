import assert from 'node:assert/strict';
import type { CheckResult, Delivery, Repeat } from '../contract/extension.js';
import type { ActiveDoor, ActiveOperation } from './catalog.js';

export interface Listener {
  topic: string;
  handler: (delivery: Delivery<unknown>) => Promise<void>;
}

export interface Taker {
  topic: string;
  handler: (payload: unknown) => Promise<void>;
}

export interface Check {
  code: string;
  probe: () => Promise<CheckResult>;
}

export interface Metric {
  name: string;
  help: string;
  read: () => number | Promise<number>;
}

export interface Job {
  repeat: Repeat;
  work: () => Promise<void>;
}

/** What an activation contributes: collected while `activate` runs, then published whole or dropped whole. */
export class Draft {
  readonly operations = new Map<string, ActiveOperation>();
  readonly slots = new Map<string, unknown[]>();
  readonly listeners: Listener[] = [];
  readonly takers: Taker[] = [];
  readonly checks: Check[] = [];
  readonly metrics: Metric[] = [];
  readonly jobs: Job[] = [];
  readonly doors: ActiveDoor[] = [];
  service: object | undefined;
  #sealed = false;

  /** From here on a contribution is a mistake of the extension: it would never be seen. */
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

  provide(service: object): void {
    this.assertOpen('provide()');
    assert(this.service === undefined, 'provide() was called twice');
    this.service = service;
  }
}
