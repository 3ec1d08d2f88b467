/** A server of a model that differs from the protocol in one way, which was seen in public. */
export interface ServerCase {
  /** A claim about the platform. */
  name: string;
  /** Where it was seen. */
  source: string;
  /** Requests that it refuses: the first rule that fits one is its answer. */
  refuses?: readonly RefusalRule[];
  /** How it answers. Default: as the protocol has it. */
  text?: Frames;
  /** How it calls the tool `look` with `{"n":1}`. Default: as the protocol has it. */
  call?: Frames;
  /** The message that people get. Default: the text `Hello.`, after a call of the tool if one is asked for. */
  wanted?: Wanted;
  /** Settings of the employee's model. */
  model?: { features?: Readonly<Record<string, boolean>>; max_tokens?: number };
}

export interface RefusalRule {
  /** A pattern that is in the JSON of the request. */
  has?: string;
  /** One that is not. */
  lacks?: string;
  /** One of the roles of its messages, joined by commas. */
  roles?: string;
  /** Default: 400. */
  status?: number;
  /** A text is sent as it is. */
  body: object | string;
  /** Default: `application/json`. */
  type?: string;
  headers?: Readonly<Record<string, string>>;
}

export interface Frames {
  /** The answer's media type. Default: `text/event-stream`. */
  type?: string;
  status?: number;
  /** Objects are sent as JSON; texts as they are. */
  events: readonly (object | string)[];
  /** Before and after each event. Default: `data: ` and an empty line. */
  before?: string;
  after?: string;
  /** Before all of them. */
  start?: string;
  /** Whether `[DONE]` ends it. Default: true. */
  done?: boolean;
  /** Encoding of the body. */
  encoding?: 'gzip' | 'latin1';
  /** Cuts the connection at the end. */
  cut?: boolean;
  /** Sends so many bytes at a time. */
  step?: number;
}

export interface Wanted {
  text?: string;
  reasoning?: string;
  refusal?: string;
  /** Codes of notices in chat. */
  notices?: readonly string[];
  /** In the gateway. Default: `stop`. */
  finish?: string;
  /** A failure: its code, and what its sentence says. */
  fails?: { code: string; says: readonly string[] };
  /** How often the tool was used, or that its call failed. Default: once. */
  used?: number | 'failed';
  /** How often each question is sent. */
  times?: number;
  /** Default: `look`. */
  tool?: string;
  /** A pattern in the JSON of the last request. */
  asked?: string;
  /** One that no request but the first may have. */
  learnt?: string;
}

/** One piece of a streamed answer. */
export function piece(delta: object, finish_reason: string | null = null, more: object = {}): object {
  return { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more };
}

/** A whole answer that is not streamed. */
export function whole(message: object, finish_reason: string | null = 'stop', more: object = {}): object {
  return {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
    ...more,
  };
}

/** A call of the tool in one piece. */
export function called(call: object = {}, of_function: object = {}): object {
  return { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"n":1}', ...of_function }, ...call };
}

export const hello: Frames = { events: [piece({ role: 'assistant', content: 'Hel' }), piece({ content: 'lo.' }), piece({}, 'stop')] };
export const look: Frames = { events: [piece({ role: 'assistant', tool_calls: [called()] }), piece({}, 'tool_calls')] };
