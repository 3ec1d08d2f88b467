import t from 'tap';
import { dataFromSchema } from '../../../../kernel/core/host/json-schema.js';
import { operationJoi as j } from '../../../../kernel/core/host/operation-joi.js';

const time = j.string().isoDate();

t.test('times of the years 1 to 9999 are taken, in any zone', async (t) => {
  for (const value of ['2026-02-28', '2026-02-28T10:00:00+02:00', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z']) {
    t.equal(time.validate(value).error, undefined, value);
  }
  t.equal(time.allow(null).validate(null).error, undefined);
});

t.test('other years are rejected, also where only the zone leads there', async (t) => {
  for (const value of [
    '+075321-09-21T18:45:01.436Z',
    '0000-06-01',
    '-000001-06-01T00:00:00Z',
    '9999-12-31T23:59:00-12:00',
    '0001-01-01T00:00:00+01:00',
  ]) {
    t.match(time.validate(value).error, { details: [{ type: 'string.isoDate' }] }, value);
  }
});

t.test('other texts may have any content, and the schema reads as data as before', async (t) => {
  t.equal(j.string().validate('+075321-09-21T18:45:01.436Z').error, undefined);
  t.same(dataFromSchema(time), { type: 'string', minLength: 1, format: 'date-time' });
});
