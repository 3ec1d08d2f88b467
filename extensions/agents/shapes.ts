import type { Joi } from '../../kernel/contract/index.js';

/** PostgreSQL takes no NUL. */
const withoutNul = /^[^\0]*$/;
const memberId = (j: Joi) => j.number().integer().min(1).max(2_147_483_647);
const uuid = (j: Joi) => j.string().guid().lowercase();

export const approvalId = uuid;
export const approvalStatus = (j: Joi) =>
  j.string().valid('pending', 'approved', 'denied', 'expired', 'cancelled').label('ApprovalStatus').description('Only those in this state');
export const reason = (j: Joi) => j.string().trim().max(2_000).allow('').pattern(withoutNul, 'text').default('');

export const approval = (j: Joi) =>
  j
    .object({
      id: uuid(j).required(),
      session_id: uuid(j).required(),
      task_id: uuid(j).required(),
      message_id: uuid(j).required(),
      tool_call_id: uuid(j).required(),
      member_id: memberId(j).required(),
      requested_by: memberId(j).required(),
      name: j.string().required(),
      input: j.any().required(),
      effect: j.string().valid('read', 'write', 'dangerous').required(),
      status: j.string().valid('pending', 'approved', 'denied', 'expired', 'cancelled').required(),
      reason: j.string().allow('').required(),
      decided_by: memberId(j).allow(null).required(),
      decided_by_name: j.string().allow(null).required(),
      created_at: j.string().isoDate().required(),
      expires_at: j.string().isoDate().required(),
      decided_at: j.string().isoDate().allow(null).required(),
    })
    .label('Approval');
