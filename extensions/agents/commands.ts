import type { CommandHint } from '../../kernel/contract/index.js';

const approvalColumns = ['id', 'name', 'effect', 'status', 'created_at', 'room_title'];

const employeeColumns = [
  'member_id',
  'name',
  'post',
  'mode',
  'status',
  'instructions',
  'model',
  'fallback_models',
  'model_habits',
  'fallback_node_ids',
  'skills',
  'missing_skills',
  'tools',
  'missing_tools',
  'node_users',
  'oversight',
  'limits',
  'budget',
  'updated_at',
];

/** Command line form of the operations. */
export const commands: readonly CommandHint[] = [
  { operation: 'approvals.list', command: 'approvals list', columns: approvalColumns, example: 'platform approvals list --status pending' },
  {
    operation: 'approvals.get',
    refers: { id: 'approval' },
    command: 'approvals show',
    arguments: ['id'],
    columns: [...approvalColumns, 'session_id', 'input'],
  },
  {
    operation: 'approvals.decide',
    refers: { id: 'approval' },
    command: 'approvals decide',
    arguments: ['id', 'decision'],
    columns: ['name', 'status', 'decided_by_name'],
    example: 'platform approvals decide 018f2c6e-0000-7000-8000-000000000000 approve',
  },
  {
    operation: 'agents.list',
    command: 'employee settings',
    columns: ['member_id', 'name', 'post', 'mode', 'status', 'oversight', 'updated_at'],
  },
  {
    operation: 'agents.get',
    refers: { member_id: 'employee' },
    command: 'employee show',
    arguments: ['member_id'],
    columns: employeeColumns,
  },
  {
    operation: 'agents.profile',
    refers: { member_id: 'employee' },
    command: 'employee profile',
    arguments: ['member_id'],
    columns: ['name', 'post', 'mode', 'status', 'node_status', 'skills', 'tools', 'oversight'],
  },
  {
    operation: 'agents.update',
    refers: { member_id: 'employee', node_users: 'member', fallback_node_ids: 'node' },
    command: 'employee update',
    arguments: ['member_id'],
    columns: employeeColumns,
    example: `platform employee update 2 --instructions "Answer in Hungarian." --limits '{"tokens_per_day": 200000}'`,
  },
  {
    operation: 'agents.test_model',
    refers: { member_id: 'employee' },
    command: 'employee test-model',
    secrets: ['api_key'],
    columns: ['ok', 'model', 'answer', 'duration_ms', 'error', 'models'],
    example: 'platform employee test-model --base-url http://127.0.0.1:11434/v1 --model llama3.2',
  },
  {
    operation: 'agents.usage_summary',
    refers: { member_id: 'employee', requested_by: 'member', session_id: 'session' },
    command: 'employee usage-summary',
    columns: ['from', 'to', 'input_tokens', 'output_tokens', 'calls', 'replies', 'costs', 'employees', 'members', 'rooms'],
    example: 'platform employee usage-summary --from 2030-01-01',
  },
  {
    operation: 'agents.usage',
    refers: { member_id: 'employee' },
    command: 'employee usage',
    arguments: ['member_id'],
    columns: ['from', 'to', 'input_tokens', 'output_tokens', 'calls', 'replies', 'costs', 'budget'],
    example: 'platform employee usage 2 --from 2030-01-01',
  },
  {
    operation: 'agents.usage_replies',
    refers: { member_id: 'employee' },
    command: 'employee usage-replies',
    arguments: ['member_id'],
    columns: ['at', 'message_id', 'model', 'input_tokens', 'output_tokens', 'calls'],
  },
];
