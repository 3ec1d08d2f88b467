import type { Examples } from '../../kernel/contract/index.js';
import type { AgentsApi } from './contract.js';

/** Ids of the records in these examples. */
const id = (n: string) => `019a0b5e-7c10-7000-8000-0000000000${n}`;

const approval = (): AgentsApi['approvals.get']['answer'] => ({
  id: id('24'),
  session_id: id('03'),
  task_id: id('23'),
  message_id: id('22'),
  tool_call_id: id('25'),
  member_id: 5,
  requested_by: 3,
  name: 'members.get',
  input: { id: 1 },
  effect: 'read',
  status: 'pending',
  reason: '',
  decided_by: null,
  decided_by_name: null,
  created_at: '2026-11-26T09:00:00.000Z',
  expires_at: '2026-11-27T22:08:09.317Z',
  decided_at: null,
  room_title: null,
});

const settings = (): AgentsApi['agents.get']['answer'] => ({
  member_id: 5,
  name: 'Márta Kovács',
  post: 'Analyst',
  mode: 'supervised',
  status: 'waiting',
  instructions: '',
  fallback_node_ids: [],
  skills: 'all',
  tools: 'all',
  node_users: 'admins',
  oversight: false,
  limits: { steps: 50, tokens: 1000000, tokens_per_day: 0, seconds: 1800, first_byte_seconds: 120, idle_seconds: 120 },
  missing_skills: [],
  missing_tools: [],
  model: null,
  fallback_models: [],
  model_habits: [],
  budget: { day: '2026-11-26', used: 0, limit: 0, paused: false, resets_at: '2026-11-27T00:00:00.000Z' },
  updated_at: null,
});

/** Worked examples of the operations. A test runs them. */
export const examples: Examples<AgentsApi> = {
  'approvals.list': () => ({ input: { status: 'pending' }, answer: [approval()] }),
  'approvals.get': () => ({ input: { id: id('24') }, answer: approval() }),
  'approvals.decide': () => ({
    input: { id: id('24'), decision: 'approve' },
    answer: { ...approval(), status: 'approved', decided_by: 3, decided_by_name: 'Ada Lovelace', decided_at: '2026-11-26T09:10:00.000Z' },
  }),
  'agents.list': () => ({
    answer: [{ ...settings(), member_id: 2, name: 'Assistant', post: 'General assistant', mode: 'assistant', status: 'idle' }],
  }),
  'agents.get': () => ({ input: { member_id: 5 }, answer: settings() }),
  'agents.profile': () => ({
    input: { member_id: 5 },
    answer: {
      member_id: 5,
      username: 'marta-kovacs',
      name: 'Márta Kovács',
      post: 'Analyst',
      mode: 'supervised',
      status: 'waiting',
      oversight: false,
      skills: ['minutes'],
      tools: ['contacts.list', 'members.get', 'messages.list', 'use_skill'],
      node_status: null,
    },
  }),
  'agents.update': () => ({
    input: { member_id: 5, post: 'Senior analyst', instructions: 'Answer in two sentences.', limits: { tokens_per_day: 200000 } },
    answer: {
      ...settings(),
      post: 'Senior analyst',
      instructions: 'Answer in two sentences.',
      limits: { steps: 50, tokens: 1000000, tokens_per_day: 200000, seconds: 1800, first_byte_seconds: 120, idle_seconds: 120 },
      budget: { day: '2026-11-26', used: 0, limit: 200000, paused: false, resets_at: '2026-11-27T00:00:00.000Z' },
      updated_at: '2026-11-26T09:05:00.000Z',
    },
  }),
  'agents.test_model': () => ({
    input: { base_url: 'http://127.0.0.1:9/v1', model: 'llama3.2' },
    answer: {
      ok: true,
      error: null,
      models: [],
      model: 'llama3.2',
      answer: 'OK',
      usage: { input_tokens: 14, output_tokens: 2 },
      duration_ms: 812,
    },
  }),
  'agents.usage_summary': () => ({
    input: { from: '2026-11-01', to: '2026-11-30' },
    answer: {
      from: '2026-11-01',
      to: '2026-11-30',
      input_tokens: 0,
      output_tokens: 0,
      calls: 0,
      replies: 0,
      costs: [],
      days: [],
      employees: [],
      models: [],
      members: [],
      rooms: [],
    },
  }),
  'agents.usage': () => ({
    input: { member_id: 5, from: '2026-11-01', to: '2026-11-30' },
    answer: {
      member_id: 5,
      from: '2026-11-01',
      to: '2026-11-30',
      input_tokens: 0,
      output_tokens: 0,
      calls: 0,
      replies: 0,
      costs: [],
      days: [],
      models: [],
      budget: { day: '2026-11-26', used: 0, limit: 200000, paused: false, resets_at: '2026-11-27T00:00:00.000Z' },
    },
  }),
  'agents.usage_replies': () => ({ input: { member_id: 5 }, answer: [] }),
  'tasks.run': () => ({
    input: { prompt: '/help' },
    answer: {
      session_id: '019a0b5e-7c10-7000-8000-000000000101',
      task_id: '019a0b5e-7c10-7000-8000-000000000102',
      result: 'I know these commands:\n\n- `/help` shows this list.\n- `/tools` lists what I can use for you.\n- `/call…',
    },
  }),
};
