import type { Usage } from '../../chat/contract.js';

/** Image sent with the request. */
export interface InlineImage {
  mime_type: string;
  bytes: Uint8Array;
}

/** Image stored elsewhere. It is read for each request, so that its bytes are not in memory in between. */
export interface StoredImage {
  mime_type: string;
  /** Reads the bytes; undefined if the image was deleted. */
  read: () => Promise<Uint8Array | undefined>;
}

/** Image in a prompt. */
export type PromptImage = InlineImage | StoredImage;

/** Server-specific fields, which are sent back unchanged to that server only. */
export interface Echo {
  /** Endpoint and model that sent them. */
  by: string;
  fields: Readonly<Record<string, unknown>>;
}

/** Tool call of a model. */
export interface ToolUse {
  /** Unique within an answer, at most 128 characters; generated if the server sends none. */
  id: string;
  /** Name as the model wrote it, at most 128 characters. It may match no tool. */
  name: string;
  /** Input as the model wrote it; `{}` if it wrote none. It may not be valid JSON. */
  arguments: string;
  /** Whether the answer reached its token limit within this call. */
  cut?: boolean;
  /** Names of the tools offered in the request: no other may run. Default: any. */
  offered?: ReadonlySet<string>;
  /** Fields of the call unknown to the protocol; those of its function are under `function`. */
  echo?: Echo;
}

/** One message for a model. */
export interface Prompt {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Images of a `user` message. A model without image support gets a note that they exist. */
  images?: readonly PromptImage[];
  /** Calls of an `assistant` message; a `tool` message must answer each. */
  tool_calls?: readonly ToolUse[];
  /** Reasoning of an `assistant` message with tool calls; some servers require it back. */
  echo?: Echo;
  /** Call that a `tool` message answers. */
  tool_call_id?: string;
}

/** Tool as described to a model. */
export interface ToolSpec {
  /** Matches `^[A-Za-z0-9_-]{1,64}$`. */
  name: string;
  description: string;
  /** JSON Schema of the input, an object. */
  input: object;
}

/** Limits of a server's silence. */
export interface Waits {
  /** Time to the first byte of an answer. */
  first_byte_ms: number;
  /** Time between two bytes. */
  idle_ms: number;
}

/** Request to a model. */
export interface ModelRequest {
  prompts: readonly Prompt[];
  /** Tools it may call; none if omitted. */
  tools?: readonly ToolSpec[];
  /** Ends the answer; it must have a deadline. */
  signal: AbortSignal;
  /** Default: 120 s each. */
  waits?: Waits;
  /** Whether an answer may be empty because text came before it. Default: false. */
  may_be_empty?: boolean;
  /** Whether the caller needs its tools: a server without tool support is then a failure. Default: false. */
  needs_tools?: boolean;
}

/** Usage of one answer. Yielded once, last; also before a failure if part of the answer had arrived. */
export interface Cost {
  type: 'usage';
  usage: Usage;
  /** Name of the model that answered. */
  model: string;
  /** Whether the usage is estimated because the server reported none. */
  estimated: boolean;
}

/** Remark for the reader next to an answer. */
export interface Notice {
  code: 'answer_cut' | 'no_tools' | 'no_images';
  message: string;
}

/** Part of an answer. Tool calls are complete: they come when the answer has ended well, in the model's order, after their `echo`. */
export type Piece =
  | { type: 'text'; text: string; refusal?: true }
  | { type: 'reasoning'; text: string }
  | ({ type: 'echo' } & Echo)
  | ({ type: 'tool_call' } & ToolUse)
  | ({ type: 'notice' } & Notice)
  | Cost;

/** Receives the pieces of an answer in order. A returned promise is awaited before the next piece; a failure ends the answer. */
export type Take = (piece: Piece) => void | Promise<void>;

/** Anything that answers requests. */
export interface ModelAnswerer {
  /** Answers a request; resolves when the whole answer has been received. */
  answer(ask: ModelRequest, take: Take): Promise<void>;
}
