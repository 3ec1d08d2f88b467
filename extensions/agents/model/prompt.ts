import type { Usage } from '../../chat/contract.js';

/** An image that came with what is asked. */
export interface SentImage {
  mime_type: string;
  bytes: Uint8Array;
}

/** An image that is kept elsewhere: read for each request, so that nothing has its bytes in between. */
export interface KeptImage {
  mime_type: string;
  /** Undefined where it is there no more. */
  read: () => Promise<Uint8Array | undefined>;
}

/** An image that a model looks at. */
export type PromptImage = SentImage | KeptImage;

/** Fields of a server's own, which go back to it as they came, and to no other. */
export interface Echo {
  /** The endpoint and model that sent them. */
  by: string;
  fields: Readonly<Record<string, unknown>>;
}

/** A tool call that a model asks for. */
export interface ToolUse {
  /** Unique within an answer, at most 128 characters; made here where the model's server gives none. */
  id: string;
  /** As the model wrote it, at most 128 characters: it may name no tool that there is. */
  name: string;
  /** The whole text that the model wrote as JSON; `{}` where it wrote none. It may be no JSON at all. */
  arguments: string;
  /** The answer reached its limit of tokens within this call. */
  cut?: boolean;
  /** Names of the tools that the request offered: no other may run. Default: any. */
  offered?: ReadonlySet<string>;
  /** Fields of the call that the protocol doesn't know, and of its function under `function`. */
  echo?: Echo;
}

/** One message as a model takes it. */
export interface Prompt {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Of a `user`'s message. A model that takes none is told in words that they are there. */
  images?: readonly PromptImage[];
  /** Of an `assistant`'s: what it asked for; a message of the role `tool` must answer each. */
  tool_calls?: readonly ToolUse[];
  /** The reasoning of an `assistant` message that calls tools; some servers want it back. */
  echo?: Echo;
  /** Of a `tool`'s: which call it answers. */
  tool_call_id?: string;
}

/** A tool as a model is told of it. */
export interface ToolSpec {
  /** `^[A-Za-z0-9_-]{1,64}$` */
  name: string;
  description: string;
  /** JSON Schema of its input, an object. */
  input: object;
}

/** How long a model's server may be silent. */
export interface Waits {
  /** Until the first byte of an answer. */
  first_byte_ms: number;
  /** Between two bytes. */
  idle_ms: number;
}

/** What a model is asked. */
export interface Ask {
  prompts: readonly Prompt[];
  /** Those that it may call; none where left out. */
  tools?: readonly ToolSpec[];
  /** Ends the answer; it must have a limit of time. */
  signal: AbortSignal;
  /** Default: 120 s each. */
  waits?: Waits;
  /** Whether an answer may be empty, because something was said before. Default: false. */
  may_be_empty?: boolean;
  /** Whether whoever asks must have its tools: then a server that takes none is a failure. Default: false. */
  needs_tools?: boolean;
}

/** What one answer cost; each answer gives it once, last, and also before it fails once something has come. */
export interface Cost {
  type: 'usage';
  usage: Usage;
  /** The name of the model that answered. */
  model: string;
  /** Counted here, because the model's server told nothing. */
  estimated: boolean;
}

/** A remark for the reader beside an answer. */
export interface Notice {
  code: 'answer_cut' | 'no_tools' | 'no_images';
  message: string;
}

/** A part of an answer. Tool calls come whole, when the answer has ended well, in the model's order, after their `echo`. */
export type Piece =
  | { type: 'text'; text: string; refusal?: true }
  | { type: 'reasoning'; text: string }
  | ({ type: 'echo' } & Echo)
  | ({ type: 'tool_call' } & ToolUse)
  | ({ type: 'notice' } & Notice)
  | Cost;

/** Gets the pieces of an answer in their order; what it returns is waited for before there is more, and what it fails with ends the answer. */
export type Take = (piece: Piece) => void | Promise<void>;

/** Whoever answers. */
export interface Thinker {
  /** Settles when the whole answer was taken. */
  answer(ask: Ask, take: Take): Promise<void>;
}
