import { type Failure, isFailure } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { ModelFault } from '../contract.js';
import { hostOf, type ModelSettings } from '../settings.js';

interface FailureTraits {
  /** Whether the same request may succeed a little later. */
  passing?: boolean;
  retry_after_ms?: number | undefined;
  /** Of the HTTP answer. */
  status?: number | undefined;
}

/** Why a try failed, and whether and when another makes sense. It holds nothing that its server said but for the sentence. */
export class ModelFailure extends Error {
  readonly code: ModelFault;
  readonly passing: boolean;
  readonly retry_after_ms: number | undefined;
  readonly status: number | undefined;
  /** Whether something of the answer had been given out. */
  begun = false;

  constructor(code: ModelFault, message: string, { passing = false, retry_after_ms, status }: FailureTraits = {}) {
    super(message);
    this.code = code;
    this.passing = passing;
    this.retry_after_ms = retry_after_ms;
    this.status = status;
  }

  toFailure(): Failure {
    const { retry_after_ms } = this;
    return fail(this.code, this.message, retry_after_ms === undefined ? {} : { retry_after: Math.ceil(retry_after_ms / 1000) });
  }
}

/** What the client throws, as far as it is looked at. */
interface Thrown {
  name?: unknown;
  constructor?: { name?: unknown };
  message?: unknown;
  status?: unknown;
  code?: unknown;
  type?: unknown;
  cause?: unknown;
  headers?: { get?(name: string): string | null };
}

const overflow =
  /context.{0,20}(length|window|size|limit)|maximum context|too many tokens|prompt is too long|exceeds? the (model'?s )?context/i;
const busy = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);
/** What servers answer to an image that they can't take; 500 is llama.cpp's. */
const refusals = new Set([400, 404, 413, 415, 422, 500, 501]);

/** What `fetch` says where a body ends too early. */
const brokenOff = 'terminated';

/** Whether a request was refused in a way in which it may be refused for its images. */
export function isRefusal(thrown: unknown): boolean {
  const { status, message } = thrownOf(thrown);
  if (typeof status !== 'number' || !refusals.has(status)) return false;
  return status < 500 || /image|vision|multimodal|mmproj/i.test(String(message));
}

/** Whatever went wrong while a model was asked, as a failure with a sentence that says what to do. */
export function explain(thrown: unknown, settings: ModelSettings): ModelFailure {
  if (thrown instanceof ModelFailure) return thrown;
  const found = thrownOf(thrown);
  const at = `The model '${settings.name}' at ${hostOf(settings)}`;
  if (found.name === 'TimeoutError') return new ModelFailure('timeout', `${at} took too long for its answer`);
  const code = codeOf(found);
  const status = typeof found.status === 'number' ? found.status : undefined;
  const sentence = `${at} ${sentences[code](saidBy(found, settings.api_key), settings)}`;
  return new ModelFailure(code, sentence, { passing: isPassing(code, found), retry_after_ms: retryAfterOf(found), status });
}

const sentences: Record<ModelFault, (said: string, settings: ModelSettings) => string> = {
  model_unavailable: (said) => `can't be reached or is overloaded: ${said}`,
  model_auth: (_, { employee }) => `refused the key: an administrator must check ${keyOf(employee)}`,
  model_quota: (said) => `has no credit left for this key: ${said}`,
  model_rate_limited: (said) => `is asked too often with this key: ${said}`,
  context_overflow: (said) => `can't take a conversation of this length: ${said}`,
  timeout: (said) => `took too long: ${said}`,
  model_error: (said) => `gave no usable answer: ${said}`,
};

/** Where the key is set. */
function keyOf(employee: number | undefined): string {
  return employee === undefined
    ? 'PLATFORM_MODEL_API_KEY'
    : `the key in the settings of AI employee ${employee} (PUT /api/agents/${employee})`;
}

function thrownOf(thrown: unknown): Thrown {
  return typeof thrown === 'object' && thrown !== null ? thrown : {};
}

function isPassing(code: ModelFault, { status, message }: Thrown): boolean {
  if (code === 'model_unavailable' || code === 'model_rate_limited') return true;
  return code === 'model_error' && (message === brokenOff || (typeof status === 'number' && busy.has(status)));
}

function codeOf(thrown: Thrown): ModelFault {
  const { status, code, type, message } = thrown;
  const text = typeof message === 'string' ? message : '';
  const kind = thrown.constructor?.name;
  if (kind === 'APIConnectionTimeoutError') return 'timeout';
  if (code === 'insufficient_quota' || type === 'insufficient_quota' || status === 402) return 'model_quota';
  if (code === 'context_length_exceeded' || status === 413 || ((status === 400 || status === undefined) && overflow.test(text)))
    return 'context_overflow';
  if (status === 401 || status === 403 || code === 'invalid_api_key') return 'model_auth';
  if (status === 429 || code === 'rate_limit_exceeded') return 'model_rate_limited';
  if (typeof status === 'number')
    return status === 502 || status === 503 || status === 504 || status >= 520 ? 'model_unavailable' : 'model_error';
  return kind === 'APIConnectionError' ? 'model_unavailable' : 'model_error';
}

/** What the provider says, on one line; never the key. */
function saidBy(thrown: Thrown, api_key: string): string {
  const text = thrown.constructor?.name === 'APIConnectionError' ? lostBy(thrown) : String(thrown.message ?? '') || 'it gave no reason';
  if (text === brokenOff) return 'its answer broke off';
  const line = (api_key === '' ? text : text.replaceAll(api_key, '…')).replace(/\s+/g, ' ').trim();
  return line.length <= 300 ? line : `${line.slice(0, 300)}…`;
}

const lost: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_CONNECT_TIMEOUT: 'it did not take the connection in time',
  ETIMEDOUT: 'it did not take the connection in time',
  ENOTFOUND: 'its name is not known',
};

/** Why there is no connection, from the innermost cause that says so; without addresses inside the network. */
function lostBy({ cause }: Thrown): string {
  for (let each = cause, depth = 0; depth < 5 && each; each = (each as Thrown).cause, depth += 1) {
    if (isFailure(each)) return each.message;
    const { code } = each as Thrown;
    if (typeof code === 'string' && lost[code]) return lost[code];
  }
  return 'there is no connection to it';
}

function retryAfterOf({ headers }: Thrown): number | undefined {
  const value = headers?.get?.('retry-after');
  if (!value) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
