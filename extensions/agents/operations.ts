import type { Operations } from '../../kernel/contract/index.js';
import type { AgentsApi } from './contract.js';
import * as shape from './shapes.js';

/** How a reply fails. */
const replyFailures = [
  'model_unavailable',
  'model_auth',
  'model_quota',
  'model_rate_limited',
  'model_error',
  'context_overflow',
  'timeout',
  'interrupted',
  'step_limit',
  'token_limit',
] as const;

/** What can be asked of this extension. */
export const operations = {
  'approvals.list': {
    summary: 'Lists what AI employees ask before they do it, in the sessions that one takes part in; the latest first.',
    method: 'GET',
    path: '/api/approvals',
    who: 'member',
    input: (j) =>
      j.object({
        status: shape.approvalStatus(j),
        limit: j.number().integer().min(1).max(200).default(50),
        offset: j.number().integer().min(0).max(2_147_483_647).default(0),
      }),
    answer: (j) => j.array().items(shape.approval(j)),
  },
  'approvals.get': {
    summary: 'Shows what an AI employee asks before it does it.',
    method: 'GET',
    path: '/api/approvals/{id}',
    who: 'member',
    input: (j) => j.object({ id: shape.uuid(j).required() }),
    answer: shape.approval,
    failures: ['approval_not_found'],
  },
  'approvals.decide': {
    summary: 'Approves or denies what an AI employee asks; it goes on at once. The same decision again changes nothing.',
    method: 'POST',
    path: '/api/approvals/{id}',
    who: 'member',
    input: (j) =>
      j.object({
        id: shape.uuid(j).required(),
        decision: j.string().valid('approve', 'deny').required(),
        reason: shape.reason(j).description('Told to the AI employee, and kept'),
      }),
    answer: shape.approval,
    failures: ['approval_not_found', 'approval_decided', 'approval_expired', 'approval_cancelled', 'approval_needs_person'],
    audited: true,
  },
  'agents.list': {
    summary: 'Lists how the AI employees are set up.',
    method: 'GET',
    path: '/api/agents',
    who: 'admin',
    answer: (j) => j.array().items(shape.employee(j)),
  },
  'agents.get': {
    summary: 'Shows how an AI employee is set up: its model, instructions, tools and limits.',
    method: 'GET',
    path: '/api/agents/{member_id}',
    who: 'admin',
    input: (j) => j.object({ member_id: shape.memberId(j).required() }),
    answer: shape.employee,
    failures: ['employee_not_found'],
  },
  'agents.update': {
    summary: 'Changes how an AI employee is set up; what is left out stays, also within its model and its limits.',
    method: 'PUT',
    path: '/api/agents/{member_id}',
    who: 'admin',
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).required(),
        name: shape.name(j),
        post: shape.post(j),
        mode: shape
          .mode(j)
          .description('assistant: read-only tools run, others ask; supervised: all ask; autonomous: only the dangerous ask'),
        instructions: shape.instructions(j),
        model: shape.newEndpoint(j).allow(null).description("What it asks; null: the platform's model"),
        fallback_models: shape.fallbacks(j),
        fallback_node_ids: shape.nodeIds(j),
        skills: shape.skills(j),
        tools: shape.tools(j),
        node_users: shape.nodeUsers(j),
        oversight: j.boolean().description('Whether administrators may read its conversations; its partners see this'),
        limits: shape.newLimits(j).description('What ends a run, and a day'),
      }),
    answer: shape.employee,
    failures: ['employee_not_found'],
    audited: true,
  },
  'agents.usage': {
    summary: 'Shows the tokens that an AI employee has used, by day and by model.',
    method: 'GET',
    path: '/api/agents/{member_id}/usage',
    who: 'admin',
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).required(),
        from: shape.moment(j).description('The first day in UTC. Default: 30 days up to the last'),
        to: shape.moment(j).description('The last day in UTC. Default: today'),
      }),
    answer: shape.usageReport,
    failures: ['employee_not_found'],
  },
  'agents.usage_replies': {
    summary: 'Lists the tokens that single replies of an AI employee took, the latest first; kept for 90 days.',
    method: 'GET',
    path: '/api/agents/{member_id}/usage/replies',
    who: 'admin',
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).required(),
        before: shape.moment(j).description('Only those of before this time'),
        limit: j.number().integer().min(1).max(200).default(50),
      }),
    answer: (j) => j.array().items(shape.replyUsage(j)),
    failures: ['employee_not_found'],
  },
  'tasks.run': {
    summary: 'Gives an AI employee something to do and answers when it is done; the conversation stays.',
    method: 'POST',
    path: '/api/agents/tasks/run',
    who: 'member',
    costly: true,
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).description('The AI employee. Default: the default one'),
        prompt: shape.prompt(j).required(),
        session_id: shape.uuid(j).description('A conversation with it to go on with. Left out: one is opened'),
      }),
    answer: (j) =>
      j.object({
        session_id: shape.uuid(j).required(),
        task_id: shape.uuid(j).allow(null).required(),
        result: j.string().allow('').required(),
      }),
    failures: ['session_not_found', 'session_busy', 'too_many_tasks', 'no_ai_employee', 'cancelled', 'reply_failed', ...replyFailures],
    idempotent: 'external',
    timeout_ms: 86_400_000,
    schedulable: true,
  },
} satisfies Operations<AgentsApi>;
