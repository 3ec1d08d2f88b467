import type { Joi, Operations, Subject, SystemApi } from '../../kernel/contract/index.js';

const text = (j: Joi, max: number) => j.string().max(max);
const time = (j: Joi) => text(j, 40);
const id = (j: Joi) => j.number().integer().min(0).max(Number.MAX_SAFE_INTEGER);

const record = (j: Joi) =>
  j.object({
    id: id(j).required(),
    at: j.string().isoDate().required(),
    member_id: id(j).required().description('0 where nobody was known'),
    username: j.string().allow('').required().description("As it was then; of a refused login, the member's whose name was given"),
    operation: j.string().required(),
    door: j.string().required().description('The way by which it came: http, local, direct, schedule, tool, mcp, plugin'),
    via: j.string().allow('').required().description("The extension that called in the member's name; empty where none did"),
    address: j.string().allow('').required().description("The client's, after trusted proxies"),
    request_id: j.string().required().description('Of what a plugin does in the course of a call: that of the call'),
    target: j.string().allow('').required().description('The record that it was about'),
    outcome: j.string().required().description('success, or the code with which it was refused'),
    times: j.number().integer().min(1).required().description('How often the same was refused within a minute'),
    last_at: j.string().isoDate().required().description('When it was refused last'),
    input: j.object().unknown().required().description('Without secrets; of what was refused, nothing'),
  });

const trail: Subject = { name: 'Audit trail', description: 'Who did what when, and who was refused it.' };

/** The reading side of the audit trail. */
export const auditOperations = {
  'audit.list': {
    summary: 'Lists who did what, from where and with which outcome, refusals too; the latest first.',
    subject: trail,
    method: 'GET',
    path: '/api/admin/audit',
    who: 'admin',
    input: (j) =>
      j.object({
        member_id: id(j).description('Only what this member did; 0: what nobody known did'),
        operation: text(j, 128).description(
          `Only uses of this operation, as members.create; http.limit: requests beyond the limits of a minute`,
        ),
        target: text(j, 256).description('Only what was about this record: its id, as it stands in paths'),
        outcome: text(j, 64).description('success, refused for whatever was, or the code of a refusal as forbidden'),
        from: time(j).description('Not before this time, ISO 8601'),
        to: time(j).description('Only before this time'),
        before: id(j).description('Only rows before the one with this id: the last of the page before'),
        limit: j.number().integer().min(1).max(200).default(50),
      }),
    answer: (j) => j.array().items(record(j)),
    audited: 'refused',
  },
} satisfies Partial<Operations<SystemApi>>;
