import type { Fault, Usage } from '../chat/contract.js';

/**
 * Parts of the protocol that some model servers lack. Learnt from refusals and answers unless set by hand. Without
 * `stream_usage` tokens are estimated; without `tools` or `images` the answer does without them and says so.
 */
export type ModelFeature =
  | 'stream_usage'
  | 'max_tokens'
  | 'tool_call_ids'
  | 'nameless_tool_results'
  | 'tool_names'
  | 'schema_keywords'
  | 'bare_tool_calls'
  | 'reasoning_content'
  | 'opened_reasoning'
  | 'tool_call_fields'
  | 'parallel_tool_calls'
  | 'consecutive_messages'
  | 'system_messages'
  | 'null_content'
  | 'images'
  | 'stream_tools'
  | 'stream'
  | 'tools';

/** Feature that a server lacks, learnt from its answer. Shared by all instances; expires after a day. */
export interface ModelHabit {
  base_url: string;
  model: string;
  /** Missing feature. */
  feature: ModelFeature;
  /** Message of the server, at most 500 characters; empty if it gave no reason. */
  message: string;
  learnt_at: string;
  expires_at: string;
}

/** Price of a model for a million tokens. */
export interface ModelPrice {
  /** 0 to 1,000,000. */
  input: number;
  output: number;
  /** ISO 4217 code, such as `EUR`. */
  currency: string;
}

/** Model endpoint as returned to clients, without its key. */
export interface ModelEndpoint {
  /** OpenAI-compatible endpoint; empty means the platform's, with the platform's key. */
  base_url: string;
  /** Model name at the endpoint; empty means the platform's, or any if the endpoint has only one. */
  model: string;
  /** Whether a key is stored. */
  has_api_key: boolean;
  /** Features set by hand: true means the server has it, false that it lacks it. The rest is learnt. */
  features: Partial<Record<ModelFeature, boolean>>;
  /** Token limit of one answer; 0, the default, means the server's limit. */
  max_tokens: number;
  /** Null, the default, means that none is set; the platform's model then has the platform's. */
  price: ModelPrice | null;
}

/** Model endpoint as clients send it. */
export interface NewModelEndpoint {
  /** http or https, without credentials, at most 2,000 characters. May be private, because only administrators set it. */
  base_url?: string;
  /** Write-only. If omitted, the stored key for the same origin stays; empty means none. */
  api_key?: string;
  model?: string;
  /** Replaces the features set before. */
  features?: Partial<Record<ModelFeature, boolean>>;
  /** 0 to 1,000,000. */
  max_tokens?: number;
  /** Null removes it. */
  price?: ModelPrice | null;
}

/** A model to test. */
export interface ModelTest extends NewModelEndpoint {
  /** AI employee whose stored key is used if its address has the same origin and `api_key` is omitted. */
  member_id?: number;
}

/** Result of a test of a model. */
export interface ModelTestReport {
  /** Whether the server accepted the key and, if it was asked, the model answered. */
  ok: boolean;
  /** Why not, as the failures of replies, with what helps; null if it is ok. */
  error: Fault | null;
  /** Names of the server's models, at most 1,000; empty if it has no list. */
  models: string[];
  /** The model that was asked; null if none was named. */
  model: string | null;
  /** Start of its answer, at most 200 characters; null without an answer. */
  answer: string | null;
  /** Tokens of the answer; they count for no AI employee. */
  usage: Usage | null;
  duration_ms: number;
}
