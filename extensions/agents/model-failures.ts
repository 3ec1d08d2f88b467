import type { Failure } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { ModelFault } from './contract.js';
import { hostOf, type ModelSettings } from './settings.js';

/** Why a try failed, and whether and when another makes sense. */
export class ModelFailure extends Error {
  readonly code: ModelFault;
  readonly retry_after_ms: number | undefined;

  constructor(code: ModelFault, message: string, options: { retry_after_ms?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retry_after_ms = options.retry_after_ms;
  }

  toFailure(): Failure {
    return fail(this.code, this.message, { cause: this });
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
  headers?: { get?(name: string): string | null };
}

const overflow =
  /context.{0,20}(length|window|size|limit)|maximum context|too many tokens|prompt is too long|exceeds? the (model'?s )?context/i;
const busy = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);

/** What `fetch` says where a body ends too early. */
const brokenOff = 'terminated';

/** Whether the same request may succeed a little later. */
export function isPassing({ code, cause }: ModelFailure): boolean {
  if (code === 'model_unavailable' || code === 'model_rate_limited') return true;
  const { status, message } = (cause ?? {}) as Thrown;
  return code === 'model_error' && (message === brokenOff || (typeof status === 'number' && busy.has(status)));
}

/** Whatever went wrong while a model was asked, as a failure with a sentence that says what to do. */
export function explain(thrown: unknown, settings: ModelSettings): ModelFailure {
  if (thrown instanceof ModelFailure) return thrown;
  const found = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Thrown;
  const said = saidBy(found, settings.api_key);
  const at = `The model at ${hostOf(settings)}`;
  const options = { cause: thrown, retry_after_ms: retryAfterOf(found) };
  if (found.name === 'TimeoutError') return new ModelFailure('timeout', `${at} took too long for its answer`, options);
  const code = codeOf(found);
  return new ModelFailure(code, `${at} ${sentences[code](said)}`, options);
}

const sentences: Record<ModelFault, (said: string) => string> = {
  model_unavailable: (said) => `can't be reached or is overloaded: ${said}`,
  model_auth: () => 'refused the key: an administrator must check PLATFORM_MODEL_API_KEY',
  model_quota: (said) => `has no credit left for this key: ${said}`,
  model_rate_limited: (said) => `is asked too often with this key: ${said}`,
  context_overflow: (said) => `can't take a conversation of this length: ${said}`,
  timeout: (said) => `took too long: ${said}`,
  model_error: (said) => `gave no usable answer: ${said}`,
};

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
function saidBy({ message }: Thrown, api_key: string): string {
  const text = typeof message === 'string' && message !== '' ? message : 'it gave no reason';
  if (text === brokenOff) return 'its answer broke off';
  const line = text.replace(/\s+/g, ' ').slice(0, 300);
  return api_key === '' ? line : line.replaceAll(api_key, '…');
}

function retryAfterOf({ headers }: Thrown): number | undefined {
  const value = headers?.get?.('retry-after');
  if (!value) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
