import type { Contract, ToolEffect } from '../../kernel/contract/index.js';
import type { Mode, Status } from '../members/contract.js';
import type { NodeStatus } from '../nodes/contract.js';
import type { ModelEndpoint, ModelHabit, ModelTest, ModelTestReport, NewModelEndpoint } from './model-contract.js';

export type * from './model-contract.js';

/** Extension that answers for AI employees. */
export interface Agents extends Contract {
  id: 'agents';
  api: AgentsApi;
  service: object;
  events: AgentsEvents;
}

export type AgentsApi = {
  'approvals.list': { input: { status?: ApprovalStatus; limit: number; offset: number }; answer: Approval[] };
  'approvals.get': { input: { id: string }; answer: Approval };
  'approvals.decide': { input: { id: string; decision: ApprovalDecision; reason: string }; answer: Approval };
  'agents.list': { input: object; answer: EmployeeSettings[] };
  'agents.get': { input: { member_id: number }; answer: EmployeeSettings };
  'agents.profile': { input: { member_id: number }; answer: EmployeeProfile };
  'agents.update': { input: EmployeeChange & { member_id: number }; answer: EmployeeSettings };
  'agents.test_model': { input: ModelTest; answer: ModelTestReport };
  'agents.usage_summary': { input: UsageQuery; answer: UsageSummary };
  'agents.usage': { input: { member_id: number; from?: string; to?: string }; answer: UsageReport };
  'agents.usage_replies': { input: { member_id: number; before?: string; limit: number }; answer: ReplyUsage[] };
  'tasks.run': { input: AssignmentInput; answer: Assignment };
};

/** An AI employee as every member sees it. */
export interface EmployeeProfile {
  member_id: number;
  username: string;
  name: string;
  post: string;
  mode: Mode;
  status: Status;
  /** Whether administrators may read its conversations. */
  oversight: boolean;
  /** Names of its skills. */
  skills: string[];
  /** Names of the tools that it may use for the caller, sorted; without those of servers that are unavailable now. */
  tools: string[];
  /** Status of its work node; null if it is bound to none. */
  node_status: NodeStatus | null;
}

/** Work for an AI employee. */
export interface AssignmentInput {
  /** Defaults to the default AI employee. */
  member_id?: number;
  /** 1 to 32,000 characters. */
  prompt: string;
  /** Conversation to continue. If left out, a new one is opened. */
  session_id?: string;
}

/** Result of an assignment. */
export interface Assignment {
  session_id: string;
  task_id: string | null;
  /** Text of the reply, at most 4,000 characters; the session has the full text. */
  result: string;
}

/** Limits of one run: `steps`, `tokens` and `seconds` of the AI employee's settings. */
export type RunLimit = 'step_limit' | 'token_limit' | 'timeout';

export interface LimitReached {
  member_id: number;
  requested_by: number;
  session_id: string | null;
  task_id: string | null;
  code: RunLimit;
  message: string;
}

export interface ApprovalRequired {
  /** Approval without its input, which only the deciders may see. */
  approval: Omit<Approval, 'input'>;
  /** Members who may decide: the participants of the session, in a room the asking member alone. */
  members: number[];
}

export type AgentsEvents = {
  /**
   * A run ended because it reached a limit; `requested_by` asked for it. Session and task are null for requests to the
   * OpenAI-compatible endpoint.
   */
  'agents.limit_reached': LimitReached;
  /** An AI employee waits for a person's decision. */
  'agents.approval_required': ApprovalRequired;
  /**
   * An AI employee has used 80 % of its daily tokens, or all of them and is paused. Emitted once a day for each
   * threshold, and again if the limit changed since.
   */
  'agents.budget': DayBudget & { member_id: number; name: string; percent: 80 | 100 };
};

/**
 * Reason why an AI employee's reply failed: `model_unavailable` (unreachable or overloaded), `model_auth` (the key was
 * rejected), `model_quota` (no credit left), `model_rate_limited`, `context_overflow` (the conversation exceeds the
 * model's context), `timeout` (no data within the limit), `model_error` (the answer is unusable).
 */
export type ModelFault =
  | 'model_unavailable'
  | 'model_auth'
  | 'model_quota'
  | 'model_rate_limited'
  | 'context_overflow'
  | 'timeout'
  | 'model_error';

/**
 * State of an approval. `cancelled`: the run that asked ended through an abort, a deletion or a restart. `expired`:
 * nobody decided within 24 h.
 */
export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled';

/** Tool call that waits for a person's decision. Timestamps are ISO 8601, UTC. */
export interface Approval {
  /** UUID. */
  id: string;
  session_id: string;
  task_id: string;
  /** Reply that is being written. */
  message_id: string;
  /** Call within that reply. */
  tool_call_id: string;
  /** AI employee that asks. */
  member_id: number;
  /** Member it works for; the tool runs as this member. */
  requested_by: number;
  /** Title of the tool as people see it. */
  name: string;
  /** Input of the tool; beyond 16,000 characters of JSON, both ends of that JSON. */
  input: unknown;
  effect: ToolEffect;
  status: ApprovalStatus;
  /** Reason that the decider gave; empty if none. The AI employee receives it. */
  reason: string;
  /** Null if no person decided. */
  decided_by: number | null;
  /** Nickname at that time. */
  decided_by_name: string | null;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
  /** Title of the room whose members will all see the result; its id is `session_id`. Null outside of rooms. */
  room_title: string | null;
}

export type ApprovalDecision = 'approve' | 'deny';

/** Members who may let an AI employee use its node: administrators, everybody, or these. */
export type NodeUsers = 'admins' | 'all' | number[];

/** Limits that end a run with `step_limit`, `token_limit` or `timeout`, and the daily limit. */
export interface Limits {
  /** Model requests in a run. 1 to 1,000; default 50. */
  steps: number;
  /** Tokens in a run, input and output. 1 to 100,000,000; default 1,000,000. */
  tokens: number;
  /** Duration of a run in seconds, without the time it waits for people. 1 to 86,400. Default: `PLATFORM_RUN_S`, 1,800. */
  seconds: number;
  /** Seconds until the first byte of a model's answer. 1 to 3,600. Default: `PLATFORM_MODEL_FIRST_BYTE_S`, 120. */
  first_byte_seconds: number;
  /** Seconds between two bytes of an answer, whatever they contain. 1 to 3,600. Default: `PLATFORM_MODEL_IDLE_S`, 120. */
  idle_seconds: number;
  /** Tokens a day (UTC), input and output; 0, the default, means no limit. At most 2,000,000,000. */
  tokens_per_day: number;
}

/** Daily token budget and its use. */
export interface DayBudget {
  /** Day in UTC, `YYYY-MM-DD`. */
  day: string;
  used: number;
  /** The setting `tokens_per_day`. */
  limit: number;
  /** Whether the AI employee is paused until `resets_at` because the budget is used up. */
  paused: boolean;
  /** Start of the next day in UTC. */
  resets_at: string;
}

/** Settings of an AI employee. */
export interface EmployeeSettings {
  member_id: number;
  name: string;
  post: string;
  mode: Mode;
  status: Status;
  /** Instructions about its work, besides name, post and mode. At most 16,000 characters. */
  instructions: string;
  /** Null means the platform's model. */
  model: ModelEndpoint | null;
  /** Models tried in this order if the model fails before it has written anything. At most 5. */
  fallback_models: ModelEndpoint[];
  /** Features that these models, or the platform's, were found to lack. Changing the models clears them. */
  model_habits: ModelHabit[];
  /** Nodes it works on while its own is offline. At most 16. */
  fallback_node_ids: number[];
  /** Ids of skills, at most 200. */
  skills: 'all' | string[];
  /** Selected skills that are not installed now. They become available again once installed. */
  missing_skills: string[];
  /** Names or titles of the tools it may use, at most 500. Default `all`. */
  tools: 'all' | string[];
  /** Selected tools that don't exist now: misspelt, or of an extension that isn't active. */
  missing_tools: string[];
  /** Default `admins`. */
  node_users: NodeUsers;
  /** Whether administrators may read its conversations. Participants see this setting. */
  oversight: boolean;
  limits: Limits;
  budget: DayBudget;
  /** Null if never changed. */
  updated_at: string | null;
}

/** Change of settings. Omitted fields stay, also within `model` and `limits`; lists are replaced. */
export interface EmployeeChange {
  name?: string;
  post?: string;
  mode?: Mode;
  instructions?: string;
  model?: NewModelEndpoint | null;
  fallback_models?: NewModelEndpoint[];
  fallback_node_ids?: number[];
  skills?: 'all' | string[];
  tools?: 'all' | string[];
  node_users?: NodeUsers;
  oversight?: boolean;
  limits?: Partial<Limits>;
}

/** Cost of tokens in one currency, at the prices of now. */
export interface ModelCost {
  /** ISO 4217 code. */
  currency: string;
  /** To six decimal places. */
  amount: number;
}

/** Sums of tokens. */
export interface Used {
  input_tokens: number;
  output_tokens: number;
  /** Model requests. */
  calls: number;
  /** Replies that used tokens. A reply that spans several models or days counts once for each. */
  replies: number;
  /** Cost by currency, of the tokens of models that have a price. */
  costs: ModelCost[];
}

/** Query of the usage of all AI employees. Days in UTC; default: 30 days up to the last. */
export interface UsageQuery {
  from?: string;
  to?: string;
  /** Only that of an AI employee. */
  member_id?: number;
  /** Only that of replies to a member. */
  requested_by?: number;
  /** Only that of replies in a room. */
  session_id?: string;
}

/** Usage of all AI employees. Each list has at most 200 entries. */
export interface UsageSummary extends Used {
  /** First and last day, in UTC. */
  from: string;
  to: string;
  /** Days with usage, oldest first. */
  days: (Used & { day: string })[];
  /** AI employees, most used first. The name of a deleted one is null. */
  employees: (Used & { member_id: number; name: string | null })[];
  /** Models, most used first. */
  models: (Used & { model: string })[];
  /** Members who asked, most tokens first: of the last 90 days. Null: unknown, or deleted since. */
  members: (Used & { requested_by: number | null; name: string | null })[];
  /** Rooms, most tokens first: of the last 90 days. Null: outside of rooms. Only open rooms have a title. */
  rooms: (Used & { session_id: string | null; title: string | null })[];
}

export interface UsageReport extends Used {
  member_id: number;
  /** First and last day, in UTC. */
  from: string;
  to: string;
  /** Days with usage, oldest first. */
  days: (Used & { day: string })[];
  /** Models, most used first. */
  models: (Used & { model: string })[];
  budget: DayBudget;
}

/** Usage of one reply for one model and day. */
export interface ReplyUsage {
  message_id: string;
  model: string;
  /** Time of the latest model request. */
  at: string;
  input_tokens: number;
  output_tokens: number;
  calls: number;
  /** Whether part of it is estimated because the model server reported no usage. */
  estimated: boolean;
}

/** Part of the extension `nodes` that agents uses if it is active. */
export interface NodeDirectory extends Contract {
  id: 'nodes';
  service: { exists(id: number): Promise<boolean> };
}
