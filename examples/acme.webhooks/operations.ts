import type { Joi, Operations } from 'platform/contract';
import type { Own } from './contract.js';

const id = (j: Joi) => j.string().pattern(/^[0-9a-f]{32}$/, '32 hex digits');

const hook = (j: Joi) => ({
  id: id(j).required(),
  name: j.string().required(),
  session_id: j.string().required(),
  created_at: j.string().required(),
  path: j.string().required(),
  posted: j.number().integer().required(),
  last_at: j.string().allow(null).required(),
  error: j.string().allow(null).required(),
});

/** The operations, as data. */
export const operations = {
  'acme.webhooks.create': {
    summary: 'Creates a hook that posts into one of your sessions; its secret is shown only once.',
    method: 'POST',
    path: '/api/x/acme.webhooks/hooks',
    who: 'member',
    input: (j) =>
      j.object({
        session_id: j.string().guid().required().description('The last part of the address of the conversation in the web app'),
        name: j.string().trim().min(1).max(64).required(),
      }),
    answer: (j) => j.object({ ...hook(j), secret: j.string().required() }),
    status: 201,
    failures: ['too_many_hooks', 'session_not_found', 'session_full'],
  },
  'acme.webhooks.list': {
    summary: 'Lists your hooks.',
    method: 'GET',
    path: '/api/x/acme.webhooks/hooks',
    who: 'member',
    answer: (j) => j.array().items(j.object(hook(j))),
    tool: true,
  },
  'acme.webhooks.delete': {
    summary: 'Deletes one of your hooks.',
    method: 'DELETE',
    path: '/api/x/acme.webhooks/hooks/{id}',
    who: 'member',
    input: (j) => j.object({ id: id(j).required() }),
    failures: ['hook_not_found'],
    dangerous: true,
  },
  'acme.webhooks.receive': {
    summary: "Receives a report of another system; its body is signed with the hook's secret.",
    method: 'POST',
    path: '/api/x/acme.webhooks/in/{id}',
    who: 'public',
    verbatim: true,
    input: (j) => j.object({ id: id(j).required() }),
    answer: (j) => j.object({ accepted: j.boolean().required(), duplicate: j.boolean().required() }),
    status: 202,
    failures: ['signature_invalid', 'timestamp_invalid'],
  },
} satisfies Operations<Own['api']>;
