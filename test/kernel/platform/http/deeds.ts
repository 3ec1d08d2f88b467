import type { Deed } from './world.js';

/** Operations that most tests of the HTTP door need. */
export const echo: Deed = {
  summary: 'Gives back its input and who called',
  method: 'POST',
  path: '/api/hello/echo',
  who: 'member',
  query: ['force'],
  input: (j) =>
    j.object({ text: j.string(), count: j.number().integer(), force: j.boolean(), list: j.array().items(j.any()), any: j.any() }),
  answer: (j) => j.object({ input: j.object(), member_id: j.number(), address: j.string(), door: j.string() }),
  does: (input: object, { caller, idempotency_key, agent }) => ({
    input,
    member_id: caller.member_id,
    address: caller.address,
    door: caller.door,
    agent,
    idempotency_key: idempotency_key ?? null,
  }),
};

export const find: Deed = {
  summary: 'Gives back its input',
  method: 'GET',
  path: '/api/hello/things/{name}',
  who: 'public',
  input: (j) => j.object({ name: j.string(), page: j.number().integer() }),
  answer: (j) => j.object(),
  does: (input: object) => input,
};

const remove: Deed = {
  summary: 'Does nothing',
  method: 'DELETE',
  path: '/api/hello/things/{name}',
  who: 'admin',
  does: () => undefined,
};

export const broken: Deed = {
  summary: 'Has a bug',
  method: 'GET',
  path: '/api/hello/broken',
  who: 'public',
  does: () => {
    throw new TypeError('the password is hunter2, in /etc/passwd');
  },
};

export const hello: Record<string, Deed> = {
  'hello.echo': echo,
  'hello.find': find,
  'hello.remove': remove,
  'hello.broken': broken,
};

export const member = { authorization: 'Bearer member' };
export const json = { 'content-type': 'application/json' };
