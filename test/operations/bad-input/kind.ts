import type { Subject } from './subject.js';
import { type Message, type Parts, render } from './wire.js';
import type { World } from './world.js';

/** One bad request and the code that it must get. */
export interface Bad {
  /** The field, value or place, if a kind has several. */
  what: string;
  message: Message;
  code: string;
}

/** A kind of bad request: what it makes of an operation; nothing where it doesn't apply. */
export interface Kind {
  name: string;
  of(subject: Subject, world: World): readonly Bad[];
}

/** A kind with one request for every operation that it applies to. */
export function kind(name: string, code: string, make: (subject: Subject, world: World) => Message | Parts | undefined): Kind {
  return {
    name,
    of(subject, world) {
      const made = make(subject, world);
      return made === undefined ? [] : [{ what: '', message: 'bytes' in made ? made : render(made), code }];
    },
  };
}

/** The same request with other headers; undefined takes one away. */
export function withHeaders(parts: Parts, changes: Readonly<Record<string, string | undefined>>): Parts {
  const headers = Object.entries({ ...parts.headers, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...parts, headers: Object.fromEntries(headers) };
}
