import assert from 'node:assert/strict';
import type { Server } from '@hapi/hapi';
import type { ActiveOperation } from '../../core/catalog/catalog.js';

interface Waiting {
  active: ActiveOperation;
  segments: readonly string[];
}

const template = /^(?:\/(?:[\w.~-]+|\{\w+\}))+$/;

/**
 * The routes of a cell's operations, each added to its server when a path that it may serve is first asked
 * for. hapi takes longer to make a route than to run it, and a replacement would wait for all of them.
 */
export class RouteTable {
  readonly #add: (active: ActiveOperation, server: Server) => void;
  /** By the number of segments. */
  readonly #waiting = new Map<number, Waiting[]>();

  /** What hapi would say of its first request is said here: a path that is none, two operations with one path. */
  constructor(operations: readonly ActiveOperation[], add: (active: ActiveOperation, server: Server) => void) {
    this.#add = add;
    const taken = new Map<string, string>();
    for (const active of operations) {
      const { method, path } = active.operation;
      assert(template.test(path), `The path of operation '${active.id}' is not of the form /a/{b}: ${path}`);
      const place = `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
      assert(!taken.has(place), `The operations '${taken.get(place)}' and '${active.id}' have the same path, ${method} ${path}`);
      taken.set(place, active.id);
      const segments = path.split('/');
      this.#waiting.set(segments.length, [...(this.#waiting.get(segments.length) ?? []), { active, segments }]);
    }
  }

  /** Adds to the cell's server what may serve a path, in the form in which hapi routes it; for all methods, so that it can tell which there are. */
  prepare(path: string, server: Server): void {
    const segments = path.split('/');
    const waiting = this.#waiting.get(segments.length);
    if (!waiting?.some((one) => fits(one, segments))) return;
    this.#waiting.set(
      segments.length,
      waiting.filter((one) => !fits(one, segments)),
    );
    for (const one of waiting) if (fits(one, segments)) this.#add(one.active, server);
  }
}

function fits(waiting: Waiting, segments: readonly string[]): boolean {
  return waiting.segments.every((part, at) => part === segments[at] || part[0] === '{');
}
