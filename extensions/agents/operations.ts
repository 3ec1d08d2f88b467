import type { Operations } from '../../kernel/contract/index.js';
import type { AgentsApi } from './contract.js';
import * as shape from './shapes.js';
import { approvals } from './subjects.js';

/** Failures of a reply. */
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

/** Operations of this extension. */
export const operations = {
  'approvals.list': {
    summary: 'Lists the approvals requested by AI employees in your sessions, newest first.',
    subject: approvals,
    method: 'GET',
    path: '/api/approvals',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        status: shape.approvalStatus(j),
        limit: j.number().integer().min(1).max(200).default(50),
        offset: j.number().integer().min(0).max(2_147_483_647).default(0),
      }),
    answer: (j) => j.array().items(shape.approval(j)),
  },
  'approvals.get': {
    summary: 'Shows an approval that an AI employee requests.',
    subject: approvals,
    method: 'GET',
    path: '/api/approvals/{id}',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ id: shape.uuid(j).required() }),
    answer: shape.approval,
    failures: ['approval_not_found'],
  },
  'approvals.decide': {
    summary: 'Approves or denies a request of an AI employee, which continues at once. Repeating the decision changes nothing.',
    subject: approvals,
    method: 'POST',
    path: '/api/approvals/{id}',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        id: shape.uuid(j).required(),
        decision: j.string().valid('approve', 'deny').required(),
        reason: shape.reason(j).description('Sent to the AI employee and stored'),
      }),
    answer: shape.approval,
    failures: ['approval_not_found', 'approval_decided', 'approval_expired', 'approval_cancelled', 'approval_needs_person'],
    audited: true,
  },
  'agents.list': {
    summary: 'Lists the settings of all AI employees.',
    method: 'GET',
    path: '/api/agents',
    who: 'admin',
    audience: 'admin',
    answer: (j) => j.array().items(shape.employee(j)),
  },
  'agents.get': {
    summary: 'Shows the settings of an AI employee: model, instructions, tools and limits.',
    method: 'GET',
    path: '/api/agents/{member_id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ member_id: shape.memberId(j).required() }),
    answer: shape.employee,
    failures: ['employee_not_found'],
  },
  'agents.profile': {
    summary: 'Shows what an AI employee can do for you: its post, mode, tools and skills, and whether its work node is online.',
    method: 'GET',
    path: '/api/agents/{member_id}/profile',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ member_id: shape.memberId(j).required() }),
    answer: shape.profile,
    failures: ['employee_not_found'],
  },
  'agents.update': {
    summary: 'Changes the settings of an AI employee. Omitted fields stay, also within its model and limits.',
    method: 'PUT',
    path: '/api/agents/{member_id}',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).required(),
        name: shape.name(j),
        post: shape.post(j),
        mode: shape
          .mode(j)
          .description('assistant: read-only tools run, others ask; supervised: all ask; autonomous: only dangerous ones ask'),
        instructions: shape.instructions(j),
        model: shape.newEndpoint(j).allow(null).description("Its model; null means the platform's"),
        fallback_models: shape.fallbacks(j),
        fallback_node_ids: shape.nodeIds(j),
        skills: shape.skills(j),
        tools: shape.tools(j),
        node_users: shape.nodeUsers(j),
        oversight: j.boolean().description('Whether administrators may read its conversations; participants see this'),
        limits: shape.newLimits(j).description('Limits of a run and of a day'),
      }),
    answer: shape.employee,
    failures: ['employee_not_found'],
    audited: true,
  },
  'agents.test_model': {
    summary: 'Tests a model before it is stored: lists the models of its server and, if one is named, asks it for a one-word answer.',
    method: 'POST',
    path: '/api/agents/models/test',
    who: 'admin',
    audience: 'admin',
    costly: true,
    input: (j) =>
      shape
        .newEndpoint(j)
        .keys({ member_id: shape.memberId(j).description('AI employee whose stored key is used for its address if api_key is omitted') }),
    answer: shape.modelTest,
    failures: ['employee_not_found'],
    timeout_ms: 90_000,
  },
  'agents.usage_summary': {
    summary: 'Shows the tokens that all AI employees have used and their cost, by day, employee, model, asking member and room.',
    method: 'GET',
    path: '/api/agents/usage',
    who: 'admin',
    audience: 'admin',
    costly: true,
    input: (j) =>
      j.object({
        from: shape.moment(j).description('First day in UTC. Default: 30 days up to the last'),
        to: shape.moment(j).description('Last day in UTC. Default: today'),
        member_id: shape.memberId(j).description('Only that of this AI employee'),
        requested_by: shape.memberId(j).description('Only that of replies to this member, in the last 90 days'),
        session_id: shape.uuid(j).description('Only that of replies in this room, in the last 90 days'),
      }),
    answer: shape.usageSummary,
  },
  'agents.usage': {
    summary: 'Shows the tokens that an AI employee has used and their cost, by day and by model.',
    method: 'GET',
    path: '/api/agents/{member_id}/usage',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).required(),
        from: shape.moment(j).description('First day in UTC. Default: 30 days up to the last'),
        to: shape.moment(j).description('Last day in UTC. Default: today'),
      }),
    answer: shape.usageReport,
    failures: ['employee_not_found'],
  },
  'agents.usage_replies': {
    summary: 'Lists the tokens used by each reply of an AI employee, newest first; stored for 90 days.',
    method: 'GET',
    path: '/api/agents/{member_id}/usage/replies',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).required(),
        before: shape.moment(j).description('Only replies before this time'),
        limit: j.number().integer().min(1).max(200).default(50),
      }),
    answer: (j) => j.array().items(shape.replyUsage(j)),
    failures: ['employee_not_found'],
  },
  'tasks.run': {
    summary: 'Assigns work to an AI employee and returns the result when it is done; the conversation is kept.',
    method: 'POST',
    path: '/api/agents/tasks/run',
    who: 'member',
    audience: 'caller',
    costly: true,
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).description('The AI employee. Default: the default one'),
        prompt: shape.prompt(j).required(),
        session_id: shape.uuid(j).description('Conversation to continue. Default: a new one'),
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
