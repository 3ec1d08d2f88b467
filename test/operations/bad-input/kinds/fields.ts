import { damagedOnWire, damages } from '../damage.js';
import { type Kind, withHeaders } from '../kind.js';
import type { Subject } from '../subject.js';
import { render } from '../wire.js';
import type { Owned } from '../world.js';

/** Requests in which one field of the input is wrong: a kind for each way of being wrong. */
export const fieldKinds: readonly Kind[] = damages.map((damage) => ({
  name: `a field that is ${damage.name}`,
  of: (subject) => damagedOnWire(subject, damage).map(({ what, input, code }) => ({ what, message: render(subject.parts(input)), code })),
}));

/** Requests for what is another member's: to those who may not see it, it is not there. */
export const otherKinds: readonly Kind[] = (['bob', 'admin'] as const).map((asker) => ({
  name: `another member's record, requested by ${asker}`,
  of(subject, { owned, side }) {
    const failures = subject.operation.failures ?? [];
    return idsOf(subject, owned).map(([key, noun, value]) => {
      const parts = withHeaders(subject.parts({ ...subject.input, [key]: value }), { authorization: `Bearer ${side.tokens.get(asker)}` });
      const code = failures.find((one) => one === `${noun}_not_found`) ?? `a code of its own for a ${noun} that is not there`;
      return { what: key, message: render(parts), code };
    });
  },
}));

/** Requests for what nobody has. */
export const absentKinds: readonly Kind[] = [
  {
    name: 'an unknown id',
    of(subject) {
      const codes = (subject.operation.failures ?? []).filter((one) => one.endsWith('_not_found'));
      return subject.fields.flatMap(({ key, schema, place }) => {
        const value = schema.format === 'uuid' ? nowhere : schema.type === 'integer' && place === 'path' ? 2_147_483_647 : undefined;
        const code = codes.find((one) => key === 'id' || one.startsWith(key.replace('_id', '')));
        return value === undefined || code === undefined
          ? []
          : [{ what: key, message: render(subject.parts({ ...subject.input, [key]: value })), code }];
      });
    },
  },
];

const nowhere = '01900000-0000-7000-8000-000000000000';

/** The keys of an operation that take ids of what is one member's alone; what they are ids of; and ada's. */
function idsOf({ id, fields, operation }: Subject, owned: Owned): [key: string, noun: string, value: unknown][] {
  const found: [string, string, unknown][] = [];
  // Operations for administrators concern everybody's records.
  if (operation.who === 'admin') return found;
  for (const { key } of fields) {
    if (key === 'session_id' || key === 'message_id' || key === 'task_id') found.push([key, key.slice(0, -'_id'.length), owned[key]]);
    if (key === 'id' && id.startsWith('tokens.')) found.push([key, 'token', owned.token]);
  }
  return found;
}
