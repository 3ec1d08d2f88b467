import type { Joi, Operations, Subject, SystemApi } from '../../kernel/contract/index.js';

const text = (j: Joi, max: number) => j.string().max(max);
const time = (j: Joi) => text(j, 40);
const id = (j: Joi) => j.number().integer().min(0).max(Number.MAX_SAFE_INTEGER);

const record = (j: Joi) =>
  j.object({
    id: id(j).required(),
    at: j.string().isoDate().required(),
    member_id: id(j).required().description('0 if unknown'),
    username: j.string().allow('').required().description('The user name at that time; for a refused login the name that was tried'),
    operation: j.string().required(),
    door: j.string().required().description('The door of the call: http, local, direct, schedule, tool, mcp, plugin'),
    via: j.string().allow('').required().description("Id of the extension that called on the member's behalf; empty if none did"),
    address: j.string().allow('').required().description("The client's network address, after trusted proxies"),
    request_id: j.string().required().description('Id of the request; calls that a plugin makes during a call have the same id'),
    target: j.string().allow('').required().description('The affected record'),
    outcome: j.string().required().description('success, or the failure code of the refusal'),
    times: j.number().integer().min(1).required().description('Number of equal refusals within a minute; 1 for a success'),
    last_at: j.string().isoDate().required().description('Time of the last of these refusals'),
    input: j.object().unknown().required().description('The input, with secrets masked; empty for a refused call'),
  });

const trail: Subject = { name: 'Audit trail', description: 'Who did what and when, and whose calls were refused.' };

/** The operation that reads the audit trail. */
export const auditOperations = {
  'audit.list': {
    summary: 'Lists who did what, from where and with which outcome, including refusals; latest first.',
    subject: trail,
    method: 'GET',
    path: '/api/admin/audit',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        member_id: id(j).description('Only calls of this member; 0: of unknown callers'),
        operation: text(j, 128).description(
          `Only calls of this operation, such as members.create; http.limit: requests above the limits of a minute`,
        ),
        target: text(j, 256).description('Only calls that affected this record: its id, as in paths'),
        outcome: text(j, 64).description('success, refused for all refusals, or the failure code of a refusal, such as forbidden'),
        from: time(j).description('Not before this time, ISO 8601'),
        to: time(j).description('Only before this time'),
        before: id(j).description('Only rows before the one with this id, which is the last of the previous page'),
        limit: j.number().integer().min(1).max(200).default(50),
      }),
    answer: (j) => j.array().items(record(j)),
    audited: 'refused',
  },
} satisfies Partial<Operations<SystemApi>>;
