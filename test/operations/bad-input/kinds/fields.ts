import { damagedOnWire, damages } from '../damage.js';
import type { Kind } from '../kind.js';
import { render } from '../wire.js';
import type { Owned } from '../world.js';

/** Requests in which one field of the input is wrong: a kind for each way of being wrong. */
export const fieldKinds: readonly Kind[] = damages.map((damage) => ({
  name: `a field that is ${damage.name}`,
  of: (subject) => damagedOnWire(subject, damage).map(({ what, input, code }) => ({ what, message: render(subject.parts(input)), code })),
}));

/** Requests for what is another member's: to those who may not see it, it is not there. */
export const otherKinds: readonly Kind[] = (['bob', 'admin'] as const).map((asker) => ({
  name: `what is another's, asked by ${asker}`,
  of(subject, { owned, side }) {
    const codes = (subject.operation.failures ?? []).filter((code) => code.endsWith('_not_found'));
    const keys = subject.fields.map(({ key }) => key).filter((key): key is keyof Owned => key in owned);
    return keys.map((key) => {
      const parts = subject.parts({ ...subject.input, [key]: owned[key] });
      const message = render({ ...parts, headers: { ...parts.headers, authorization: `Bearer ${side.tokens.get(asker)}` } });
      return { what: key, message, code: codes.find((code) => key.startsWith(code.split('_', 1)[0] as string)) ?? `${key} has no code` };
    });
  },
}));
