import type { Contract, ToolEffect } from '../../kernel/contract/index.js';
import type { Mode, Status } from '../members/contract.js';
import type { ModelEndpoint, ModelHabit, NewModelEndpoint } from './model-contract.js';

export type { ModelEndpoint, ModelFeature, ModelHabit, NewModelEndpoint } from './model-contract.js';

/** The extension that answers for AI employees. */
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
  'agents.update': { input: EmployeeChange & { member_id: number }; answer: EmployeeSettings };
  'agents.usage': { input: { member_id: number; from?: string; to?: string }; answer: UsageReport };
  'agents.usage_replies': { input: { member_id: number; before?: string; limit: number }; answer: ReplyUsage[] };
  'tasks.run': { input: AssignmentInput; answer: Assignment };
};

/** Something for an AI employee to do. */
export interface AssignmentInput {
  /** Default: the default AI employee. */
  member_id?: number;
  /** 1 to 32,000 characters. */
  prompt: string;
  /** A conversation with it to go on with. Left out: one is opened. */
  session_id?: string;
}

/** What was done. */
export interface Assignment {
  session_id: string;
  task_id: string | null;
  /** The reply's text, at most 4,000 characters; the whole of it is in the session. */
  result: string;
}

/** What a run may reach: `steps`, `tokens` and `seconds` of the AI employee's limits. */
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
  /** Without its input, which is for those who decide alone. */
  approval: Omit<Approval, 'input'>;
  /** Those of its session, who may decide. */
  members: number[];
}

export type AgentsEvents = {
  /**
   * A run has ended because it has reached a limit; `requested_by` had asked for it. Session and task are
   * null where it was asked for through the door for OpenAI's clients.
   */
  'agents.limit_reached': LimitReached;
  /** An AI employee waits for a person. */
  'agents.approval_required': ApprovalRequired;
  /**
   * An AI employee has used 80 % of a day's tokens, or all of them and is paused: once a day each, and
   * once more where the limit was changed since.
   */
  'agents.budget': DayBudget & { member_id: number; name: string; percent: 80 | 100 };
};

/**
 * Why an AI employee's reply failed: `model_unavailable` (not reached, or overloaded), `model_auth` (the
 * key was refused), `model_quota` (no credit left), `model_rate_limited`, `context_overflow` (the
 * conversation is longer than the model takes), `timeout` (it fell silent), `model_error` (it answered
 * something else than an answer).
 */
export type ModelFault =
  | 'model_unavailable'
  | 'model_auth'
  | 'model_quota'
  | 'model_rate_limited'
  | 'context_overflow'
  | 'timeout'
  | 'model_error';

/** `cancelled`: the run that asked has ended, by an abort, a deletion or a restart. `expired`: nobody decided within 24 h. */
export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled';

/** A tool call that waits for a person's word. Timestamps are ISO 8601, UTC. */
export interface Approval {
  /** UUID. */
  id: string;
  session_id: string;
  task_id: string;
  /** The reply that is being written. */
  message_id: string;
  /** The call in that reply. */
  tool_call_id: string;
  /** The AI employee that asks. */
  member_id: number;
  /** The member for whom it works, and as whom the tool would run. */
  requested_by: number;
  /** The tool, as people see it. */
  name: string;
  /** Its input; past 16,000 characters of JSON the two ends of that JSON. */
  input: unknown;
  effect: ToolEffect;
  status: ApprovalStatus;
  /** What the member who decided said; empty where nothing. The AI employee is told. */
  reason: string;
  /** Null where no person decided. */
  decided_by: number | null;
  /** The nickname then. */
  decided_by_name: string | null;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
}

export type ApprovalDecision = 'approve' | 'deny';

/** Who may have an AI employee use its node: administrators, everybody, or these members. */
export type NodeUsers = 'admins' | 'all' | number[];

/** What ends a run, with the code `step_limit`, `token_limit` or `timeout`; and a day's work. */
export interface Limits {
  /** Questions to the model in a run. 1 to 1,000; default 50. */
  steps: number;
  /** Tokens in a run, read and written. 1 to 100,000,000; default 1,000,000. */
  tokens: number;
  /** Seconds of a run, without the time that it waits for people. 1 to 86,400. Default: `PLATFORM_RUN_S`, 1,800. */
  seconds: number;
  /** Seconds until the first byte of a model's answer. 1 to 3,600. Default: `PLATFORM_MODEL_FIRST_BYTE_S`, 120. */
  first_byte_seconds: number;
  /** Seconds between two bytes of it, whatever they hold. 1 to 3,600. Default: `PLATFORM_MODEL_IDLE_S`, 120. */
  idle_seconds: number;
  /** Tokens in a day of UTC, read and written; 0, the default: as many as it takes. At most 2,000,000,000. */
  tokens_per_day: number;
}

/** What of a day's tokens is spent. */
export interface DayBudget {
  /** The day in UTC, `YYYY-MM-DD`. */
  day: string;
  used: number;
  /** `tokens_per_day`. */
  limit: number;
  /** Whether it is paused until `resets_at`, because nothing is left. */
  paused: boolean;
  /** The start of the next day in UTC. */
  resets_at: string;
}

/** How an AI employee is set up. */
export interface EmployeeSettings {
  member_id: number;
  name: string;
  post: string;
  mode: Mode;
  status: Status;
  /** What it is told about its work, besides name, post and mode. At most 16,000 characters. */
  instructions: string;
  /** Null: the platform's model. */
  model: ModelEndpoint | null;
  /** Asked in this order where the model fails before it has written anything. At most 5. */
  fallback_models: ModelEndpoint[];
  /** Features that these models, or the platform's, were found to lack. A change of the models forgets them. */
  model_habits: ModelHabit[];
  /** Where it works when its node is away. At most 16. */
  fallback_node_ids: number[];
  /** Ids of skills, at most 200. */
  skills: 'all' | string[];
  /** Those of them that are not installed now. They are its own again when they are. */
  missing_skills: string[];
  /** The names or titles of tools that it may use, at most 500. Default `all`. */
  tools: 'all' | string[];
  /** Those of them of which there is no tool now: misspelt, or of an extension that isn't there. */
  missing_tools: string[];
  /** Default `admins`. */
  node_users: NodeUsers;
  /** Whether administrators may read its conversations. Its partners see this. */
  oversight: boolean;
  limits: Limits;
  budget: DayBudget;
  /** Null: never changed. */
  updated_at: string | null;
}

/** What is left out stays, also within `model` and `limits`; lists are replaced. */
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

/** Tokens, in sums. */
export interface Used {
  input_tokens: number;
  output_tokens: number;
  /** Questions to a model. */
  calls: number;
  /** Replies for which it was asked; one that several models or days had a part in counts for each. */
  replies: number;
}

export interface UsageReport extends Used {
  member_id: number;
  /** The first and the last day, in UTC. */
  from: string;
  to: string;
  /** Those days on which it was used, oldest first. */
  days: (Used & { day: string })[];
  /** Most used first. */
  models: (Used & { model: string })[];
  budget: DayBudget;
}

/** What one reply took of one model on one day. */
export interface ReplyUsage {
  message_id: string;
  model: string;
  /** When it was last asked. */
  at: string;
  input_tokens: number;
  output_tokens: number;
  calls: number;
  /** Whether some of it was counted here, because the model's server told nothing. */
  estimated: boolean;
}

/** What agents asks of the extension `nodes`, where there is one. */
export interface NodeDirectory extends Contract {
  id: 'nodes';
  service: { exists(id: number): Promise<boolean> };
}
