import type { ChannelDelivery, ChannelDescription } from '../../contract/channel.js';
import type { FetchAnswer } from '../../contract/extension.js';
import type { Codes } from '../../contract/failure.js';
import type { OperationData } from '../../contract/manifest.js';
import type { Caller, Role } from '../../contract/operation.js';

/** The first message to a plugin's process. */
export interface Activation {
  name: string;
  /** The bundle's folder and its file. */
  folder: string;
  main: string;
  /** Path of Joi, which builds schemas in the plugin's process. */
  joi: string;
  /** The plugin's own folder. */
  files: string;
  config: Readonly<Record<string, unknown>>;
  /** Inherited file descriptors, closed before the plugin's code runs. */
  inherited: readonly number[];
}

/** Contributions of a plugin's `activate`, as data. Listeners, checks and metrics are addressed by their index. */
export interface Contributed {
  operations: Readonly<Record<string, OperationData>>;
  codes: Codes;
  listens: readonly string[];
  checks: readonly string[];
  metrics: readonly { name: string; help: string }[];
  /** Topics of sockets with the role that may read them: a function can't cross the pipe. */
  topics: readonly { name: string; readers: Role }[];
  /** Channels, addressed by their index. */
  channels: readonly ChannelDescription[];
  /** Types of frames, with the JSON Schema of their data. */
  frames: readonly { type: string; schema: object }[];
}

/** A call, as a plugin's handler sees it. */
export interface CallData {
  /** The caller, without the id of the token. */
  caller: Caller;
  request_id: string;
  agent: string;
  idempotency_key: string | undefined;
  /** The body is base64. */
  verbatim?: { headers: Readonly<Record<string, string>>; body: string } | undefined;
}

export interface OperationRequest {
  operation: string;
  input: object;
  call: CallData;
}

/** A request to validate an input against the plugin's schema. The answer is the validated input. */
export interface ReadRequest {
  kind: 'operation' | 'frame';
  /** The operation's id, or the frame's type. */
  name: string;
  input: unknown;
}

/** A delivery to a member. */
export interface SendRequest extends Omit<ChannelDelivery, 'signal'> {
  index: number;
}

/** Result of a handler; a stream's events follow. */
export interface OperationAnswer {
  body?: unknown;
  /** Status, if the handler set one. */
  status: number | undefined;
}

/** A fetch; its body is base64. */
export interface FetchRequest {
  url: string;
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
  timeout_ms?: number | undefined;
  max_bytes?: number | undefined;
  max_redirects?: number | undefined;
  redirect?: 'follow' | 'manual' | undefined;
}

/** Events of a fetch's answer: pieces of the body as base64, then the rest. */
export type FetchEvent = { piece: string } | { answer: Omit<FetchAnswer, 'body'> };

export interface LogNotice {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields?: object | undefined;
}
