/**
 * Parts of the protocol that some servers of models lack. What a server lacks is learnt from its refusals and answers, unless somebody sets it.
 * Without `stream_usage` tokens are estimated; without `tools` or `images` an answer is given without them, and says so.
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

/** A feature that a server lacks, learnt from its answer. Shared by all instances; expires after a day. */
export interface ModelHabit {
  base_url: string;
  model: string;
  /** The missing feature. */
  feature: ModelFeature;
  /** The server's words, at most 500 characters; empty if it gave no reason. */
  message: string;
  learnt_at: string;
  expires_at: string;
}

/** Where a model is asked, as it is shown: its key never is. */
export interface ModelEndpoint {
  /** An OpenAI-compatible endpoint; empty: the platform's own, with the platform's key. */
  base_url: string;
  /** The name of a model there; empty: the platform's, or any where the endpoint has one alone. */
  model: string;
  /** Whether a key is kept for it. */
  has_api_key: boolean;
  /** Features set by hand: true: its server has it, false: it lacks it. The rest is learnt. */
  features: Partial<Record<ModelFeature, boolean>>;
  /** Tokens of one answer; 0, the default: as many as the server gives. */
  max_tokens: number;
}

/** The same, as it is given. */
export interface NewModelEndpoint {
  /** http or https, without credentials, at most 2,000 characters. May be private: an administrator says so. */
  base_url?: string;
  /** Write-only. Left out: the key that is kept for an endpoint of the same origin; empty: none. */
  api_key?: string;
  model?: string;
  /** Replaces what was set. */
  features?: Partial<Record<ModelFeature, boolean>>;
  /** 0 to 1,000,000. */
  max_tokens?: number;
}
