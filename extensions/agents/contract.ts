import type { Caller } from '../../kernel/contract/index.js';

/** The extension that answers for AI employees. */
export interface Agents {
  id: 'agents';
  api: AgentsApi;
  service: object;
  events: AgentsEvents;
}

export type AgentsApi = {
  'approvals.list': { input: { status?: ApprovalStatus; limit: number; offset: number }; answer: Approval[] };
  'approvals.get': { input: { id: string }; answer: Approval };
  'approvals.decide': { input: { id: string; decision: ApprovalDecision; reason: string }; answer: Approval };
};

export type AgentsEvents = {
  /** An AI employee waits for a person; of its session, `members` may decide. */
  'agents.approval_required': { approval: Approval; members: number[] };
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

/**
 * The slot in which whoever has tools for AI employees registers a {@link ToolProvider}: the operations
 * marked `tool` are one, and so are MCP servers, nodes, skills and schedules. All are treated alike.
 */
export type ToolSlot = 'agents.tools';

/** Brings tools. */
export interface ToolProvider {
  /** As people read it, where its tools are not to be had: `the MCP server 'files'`. */
  readonly name: string;
  /**
   * The tools for a run, asked once at its start. Where it throws, or takes longer than 10 s, the run
   * goes on without its tools, and the model is told so.
   */
  tools(use: ToolContext): Promise<readonly Tool[]> | readonly Tool[];
}

/** Who would use the tools. */
export interface ToolContext {
  readonly employee: { readonly member_id: number; readonly name: string };
  /** The member for whom the AI employee works, as it is now, with no more than its rights. */
  readonly asker: Caller;
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
}

/**
 * What a tool does to the world. `read`: nothing; it runs by itself in the modes `assistant` and
 * `autonomous`. `write`: it asks in the mode `assistant`. `dangerous`: it asks in every mode. All ask in
 * the mode `supervised`.
 */
export type ToolEffect = 'read' | 'write' | 'dangerous';

/** What an AI employee can do beside writing. */
export interface Tool {
  /** As the model sees it: `^[A-Za-z0-9_-]{1,64}$`. Of several with one name the first counts. */
  readonly name: string;
  /** As people see it: `members.list`. At most 128 characters. */
  readonly title: string;
  /** For the model: what it does, and when to use it. At most 2,000 characters are given. */
  readonly description: string;
  /** JSON Schema of the input, which is always an object. */
  readonly input: object;
  readonly effect: ToolEffect;
  /** Until it is given up, in ms. Default 60,000; at most 600,000. */
  readonly timeout_ms?: number;
  /** Makes it a command of the offline responder. */
  readonly slash?: SlashCommand;
  /**
   * Runs it. What it gives or throws goes to the model; it never ends the run. `signal` aborts when the
   * time is up or the run is stopped; what it still does afterwards is its own to end.
   */
  call(input: object, use: ToolUse): Promise<ToolResult>;
}

/** `/run ls` of the offline responder. */
export interface SlashCommand {
  /** Without the slash, lower case: `run`. */
  readonly command: string;
  /** How it reads in `/help`: `/run <command>`. */
  readonly usage: string;
  /** The tool's input from what stands after the command. A throw's message is shown. */
  parse(rest: string): object;
}

export interface ToolUse {
  /** As {@link ToolContext.asker}, read again for this call. */
  readonly asker: Caller;
  readonly signal: AbortSignal;
  /** Shows a part of the output to readers while the tool still runs. */
  readonly output: (delta: string) => void;
}

export interface ToolResult {
  /** The whole output: what the model gets, cut where it is long, and what is stored, up to 16,384 characters. */
  readonly output: string;
  /** A sentence where it failed. */
  readonly error?: string;
}

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
