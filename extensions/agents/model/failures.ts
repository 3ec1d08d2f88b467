import { type Failure, isFailure, withoutSecrets } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { ModelFault } from '../contract.js';
import { hostOf, type ModelSettings } from '../settings.js';
import { adviceFor } from './advice.js';
import { isContentRefused, isKeyRefused, isOutOfCredit, isOverflow } from './causes.js';

interface FailureTraits {
  /** Whether the same request may succeed a little later. */
  temporary?: boolean;
  retry_after_ms?: number | undefined;
  /** Status of the HTTP answer. */
  status?: number | undefined;
  /** Message of the server. */
  said?: string;
  /** Whether a filter rejected the content: the same content is not sent again in another form. */
  filtered?: boolean;
}

/** Reason why an attempt failed, and whether and when to retry. Keeps only the server's message, not its answer. */
export class ModelFailure extends Error {
  readonly code: ModelFault;
  readonly passing: boolean;
  readonly retry_after_ms: number | undefined;
  readonly status: number | undefined;
  readonly said: string;
  readonly filtered: boolean;
  /** Whether part of the answer had been passed on. */
  begun = false;

  constructor(
    code: ModelFault,
    message: string,
    { temporary: passing = false, retry_after_ms, status, said = '', filtered = false }: FailureTraits = {},
  ) {
    super(message);
    this.code = code;
    this.passing = passing;
    this.retry_after_ms = retry_after_ms;
    this.status = status;
    this.said = said;
    this.filtered = filtered;
  }

  toFailure(): Failure {
    const { retry_after_ms } = this;
    return fail(this.code, this.message, retry_after_ms === undefined ? {} : { retry_after: Math.ceil(retry_after_ms / 1000) });
  }
}

/** Fault of an answer that only its reader can detect. {@link explain} adds the model's name and the setting that helps. */
export class AnswerFault extends Error {
  readonly traits: { passing?: boolean; code?: ModelFault; advice?: 'max_tokens' | 'idle' | 'first_byte' };

  constructor(message: string, traits: AnswerFault['traits'] = {}) {
    super(message);
    this.traits = traits;
  }
}

/** Error thrown by the client, reduced to the fields used here. */
interface Thrown {
  name?: unknown;
  constructor?: { name?: unknown };
  message?: unknown;
  status?: unknown;
  code?: unknown;
  type?: unknown;
  cause?: unknown;
  error?: { message?: unknown };
  headers?: { get?(name: string): string | null };
}

const retryableStatuses = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);
/** Statuses with which servers reject a conversation that is too long; 500 is llama.cpp's. */
const overflowStatuses = new Set<unknown>([400, 404, 413, 422, 500, 501, undefined]);

/** Statuses for used-up credit, a wrong key, and filtered content; undefined within an answer. */
const creditStatuses = new Set<unknown>([400, 401, 403, 404, 412, 422, 429, undefined]);
const keyStatuses = new Set<unknown>([400, 422, undefined]);
const filterStatuses = new Set<unknown>([400, 403, 422, 451, undefined]);

/** Message of `fetch` if a body ends too early. */
const truncated_message = 'terminated';
const max_quoted = 400;

/** Converts any error of a model request to a failure whose message says what to do. */
export function explain(thrown: unknown, settings: ModelSettings): ModelFailure {
  if (thrown instanceof ModelFailure) return thrown;
  const at = `The model '${settings.name}' at ${hostOf(settings)}`;
  if (thrown instanceof AnswerFault) return explainAnswer(thrown, at, settings);
  const found = thrownOf(thrown);
  if (found.name === 'TimeoutError') return new ModelFailure('timeout', `${at} took too long for its answer`);
  const code = codeOf(found);
  const status = typeof found.status === 'number' ? found.status : undefined;
  const words = wordsOf(found);
  const said = withoutSecrets(words ?? 'it gave no reason', [settings.api_key]);
  const quoted =
    status === undefined || words === undefined || /connection/i.test(String(found.constructor?.name)) ? said : `${status} ${said}`;
  const filtered = code === 'model_error' && isFiltered(found);
  const advice = adviceFor({ code, status, said, settings, ...(filtered ? { about: 'content' as const } : {}) });
  const sentence = joinSentences(`${at} ${sentences[code](shorten(quoted))}`, advice);
  return new ModelFailure(code, sentence, {
    temporary: isTemporary(code, found),
    retry_after_ms: retryAfterOf(found),
    status,
    said: words === undefined ? '' : said,
    filtered,
  });
}

function explainAnswer({ message, traits }: AnswerFault, at: string, settings: ModelSettings): ModelFailure {
  const { passing = false, code = 'model_error', advice } = traits;
  const hint = adviceFor({ code, status: undefined, said: '', settings, about: advice ?? 'answer' });
  return new ModelFailure(code, joinSentences(`${at} ${withoutSecrets(message, [settings.api_key])}`, hint), { temporary: passing });
}

/** Joins two sentences. A server's message may already end with a full stop. */
function joinSentences(sentence: string, next: string): string {
  if (next === '') return sentence;
  return `${sentence}${/[.!?…]$/.test(sentence) ? '' : '.'} ${next}`;
}

const sentences: Record<ModelFault, (said: string) => string> = {
  model_unavailable: (said) => `can't be reached or is overloaded: ${said}`,
  model_auth: (said) => `refused the key: ${said}`,
  model_quota: (said) => `has no credit left for this key: ${said}`,
  model_rate_limited: (said) => `is asked too often with this key: ${said}`,
  context_overflow: (said) => `can't take a conversation of this length: ${said}`,
  timeout: (said) => `took too long: ${said}`,
  model_error: (said) => `gave no usable answer: ${said}`,
};

function thrownOf(thrown: unknown): Thrown {
  return typeof thrown === 'object' && thrown !== null ? thrown : {};
}

function isTemporary(code: ModelFault, { status, message }: Thrown): boolean {
  if (code === 'model_unavailable' || code === 'model_rate_limited') return true;
  return code === 'model_error' && (message === truncated_message || (typeof status === 'number' && retryableStatuses.has(status)));
}

function codeOf(thrown: Thrown): ModelFault {
  const { status, code, type, message } = thrown;
  const kind = thrown.constructor?.name;
  if (kind === 'APIConnectionTimeoutError') return 'timeout';
  const refused = { message: String(message ?? ''), code, type };
  if (status === 402 || (creditStatuses.has(status) && isOutOfCredit(refused))) return 'model_quota';
  if (status === 413 || (overflowStatuses.has(status) && isOverflow(refused))) return 'context_overflow';
  if (isFiltered(thrown)) return 'model_error';
  if (keyStatuses.has(status) && isKeyRefused(refused)) return 'model_auth';
  if (status === 401 || status === 403 || code === 'invalid_api_key') return 'model_auth';
  if (status === 429 || code === 'rate_limit_exceeded') return 'model_rate_limited';
  if (typeof status === 'number')
    return status === 502 || status === 503 || status === 504 || status >= 520 ? 'model_unavailable' : 'model_error';
  return kind === 'APIConnectionError' ? 'model_unavailable' : 'model_error';
}

function isFiltered({ status, code, type, message }: Thrown): boolean {
  return filterStatuses.has(status) && isContentRefused({ message: String(message ?? ''), code, type });
}

/** Returns the message of the server or the network; undefined if there is none. */
function wordsOf(thrown: Thrown): string | undefined {
  if (thrown.constructor?.name === 'APIConnectionError') return connectionFaultOf(thrown);
  const text = String(thrown.error?.message ?? thrown.message ?? '');
  if (text === truncated_message) return 'its answer broke off';
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' || /\(no body\)$/.test(line) ? undefined : line;
}

function shorten(line: string): string {
  return line.length <= max_quoted ? line : `${line.slice(0, max_quoted).toWellFormed()}…`;
}

const connectionFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_CONNECT_TIMEOUT: 'it did not accept the connection in time',
  ETIMEDOUT: 'it did not accept the connection in time',
  ENOTFOUND: 'its host name cannot be resolved',
};

/** Explains a lost connection by the innermost cause that is known; omits internal addresses. */
function connectionFaultOf({ cause }: Thrown): string {
  for (let each = cause, depth = 0; depth < 5 && each; each = (each as Thrown).cause, depth += 1) {
    if (isFailure(each)) return each.message;
    const { code } = each as Thrown;
    if (typeof code === 'string' && connectionFaults[code]) return connectionFaults[code];
  }
  return 'there is no connection to it';
}

function retryAfterOf({ headers }: Thrown): number | undefined {
  const ms = Number(headers?.get?.('retry-after-ms') || Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const value = headers?.get?.('retry-after');
  if (!value) return undefined;
  const after = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(after) ? Math.max(0, after) : undefined;
}
