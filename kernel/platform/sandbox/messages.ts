import type { ChannelDelivery, ChannelDescription } from '../../contract/channel.js';
import type { FetchAnswer } from '../../contract/extension.js';
import type { Codes } from '../../contract/failure.js';
import type { OperationData } from '../../contract/manifest.js';
import type { Caller, Role } from '../../contract/operation.js';

/** What the platform tells a plugin's process at its start. */
export interface Activation {
  name: string;
  /** The bundle's folder and its file. */
  folder: string;
  main: string;
  /** Where Joi lies: schemas are made with it in the plugin's process. */
  joi: string;
  /** The plugin's own folder. */
  files: string;
  config: Readonly<Record<string, unknown>>;
  /** File descriptors that are not for the plugin: closed before its code runs. */
  inherited: readonly number[];
}

/** What a plugin's `activate` contributed, as data. Listeners, checks and metrics are asked for by their place in the list. */
export interface Contributed {
  operations: Readonly<Record<string, OperationData>>;
  codes: Codes;
  listens: readonly string[];
  checks: readonly string[];
  metrics: readonly { name: string; help: string }[];
  /** Topics of sockets, and who may read them: a function can't cross, a role can. */
  topics: readonly { name: string; readers: Role }[];
  /** Channels, asked by their place in the list. */
  channels: readonly ChannelDescription[];
  /** Types of frames, and their data's JSON Schema. */
  frames: readonly { type: string; schema: object }[];
}

/** A call, as a plugin's handler sees it. */
export interface CallData {
  /** Who calls; without what identifies the caller's token. */
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

/** An input that the plugin's process is to check against its own schema. The answer is the input as the schema reads it. */
export interface ReadRequest {
  kind: 'operation' | 'frame';
  /** The operation's id, or the frame's type. */
  name: string;
  input: unknown;
}

/** What is to be brought to a member. */
export interface SendRequest extends Omit<ChannelDelivery, 'signal'> {
  index: number;
}

/** How a handler ended; a stream's events follow. */
export interface OperationAnswer {
  body?: unknown;
  /** Where the handler chose one. */
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

/** The events by which it is answered: pieces of the body as base64, then the rest. */
export type FetchEvent = { piece: string } | { answer: Omit<FetchAnswer, 'body'> };

export interface LogNotice {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields?: object | undefined;
}
