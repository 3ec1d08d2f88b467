import fc from 'fast-check';
import { type Answer, exchange } from '../bad-input/wire.js';
import { type Endpoint, readDocument } from './document.js';
import { type Draft, drafts, messageOf } from './request.js';
import { misfit } from './shape.js';

export interface FuzzOptions {
  url: string;
  /** Those who ask; undefined is nobody. */
  tokens: readonly (string | undefined)[];
  seed: number;
  requests: number;
  /** Ends it earlier. */
  limit_ms: number;
}

export interface FuzzReport {
  /** How many answers had which status. */
  statuses: Record<string, number>;
  /** Operations that gave a success. */
  succeeded: ReadonlySet<string>;
  /** Faults, as sentences. */
  faults: string[];
}

/** Would end those who ask, or what is asked. So nobody known asks for them. */
const endings =
  /^(auth\.(logout|password|end_session)|tokens\.delete|plugins\.|members\.(update|delete|reset_password)|maintenance\.|marketplace\.uninstall)/;

/** Failures for which somebody else is the cause: no engine, model or registry is there. */
const upstream = /^(node_offline|engine_|image_|model_|upstream_|reply_failed|channel_|delivery_|source_|fetch_|stt_)/;

/** By then `/healthz` has answered, whatever else is asked. */
const alive_ms = 5_000;
const between_looks = 50;
/** Different ones; then it ends. */
const max_faults = 20;

/** Asks a server for all that its document says can be asked, rightly and wrongly, and holds the answers to what it says. */
export async function fuzz({ url, tokens, seed, requests, limit_ms }: FuzzOptions): Promise<FuzzReport> {
  const run = new Run(url, tokens);
  // Doors speak protocols of others, with words of their own for failures; hello is an extension of the tests.
  const endpoints = (await readDocument(url)).filter(({ id }) =>
    /^(?!kernel|hello|openai|mcp|auth\.device_(code|token)$)\w+\.\w+$/.test(id),
  );
  const draft = fc.oneof(...endpoints.map(drafts));
  const options = { seed, numRuns: requests, endOnFailure: true, interruptAfterTimeLimit: limit_ms };
  const property = fc.asyncProperty(draft, (one) => run.holds(one));
  const { errorInstance } = await fc.check(property, options);
  if (errorInstance !== undefined && errorInstance !== null && run.report.faults.length === 0) throw errorInstance;
  return run.report;
}

class Run {
  readonly report = { statuses: {} as Record<string, number>, succeeded: new Set<string>(), faults: [] as string[] };
  readonly #url: string;
  readonly #tokens: readonly (string | undefined)[];
  /** Ids that were seen in answers, whoever's they are. */
  readonly #ids: unknown[] = [1, 2];
  #asked = 0;

  constructor(url: string, tokens: readonly (string | undefined)[]) {
    this.#url = url;
    this.#tokens = tokens;
  }

  async holds(draft: Draft): Promise<boolean> {
    const fault = (await this.#ask(this.#aimed(draft))) ?? (++this.#asked % between_looks === 0 ? await this.#look() : undefined);
    const told = `${draft.endpoint.id} ${fault}`;
    if (fault !== undefined && !this.report.faults.some((each) => each.startsWith(told.slice(0, 80)))) this.report.faults.push(told);
    return this.report.faults.length < max_faults;
  }

  /** With ids of what is there instead of made-up ones, every other time. */
  #aimed(draft: Draft): Draft {
    if (draft.twist === 'value' || draft.pick % 2 === 0) return draft;
    const entries = Object.entries(draft.parameters).map(([name, value]) => {
      const fitting = /(^|_)id$/.test(name) ? this.#ids.filter((id) => typeof id === typeof value) : [];
      return [name, fitting[draft.pick % Math.max(1, fitting.length)] ?? value] as const;
    });
    return { ...draft, parameters: Object.fromEntries(entries) };
  }

  async #ask(draft: Draft): Promise<string | undefined> {
    const { endpoint } = draft;
    const message = await messageOf(draft, { host: new URL(this.#url).host, token: this.#tokenFor(draft) });
    if (!message) return undefined;
    const answer = await exchange(this.#url, message).catch((fault: Error) => fault);
    if (answer instanceof Error) return `got no answer: ${answer.message}`;
    this.report.statuses[answer.status] = (this.report.statuses[answer.status] ?? 0) + 1;
    return answer.status < 400 ? this.#successFault(endpoint, answer) : failureFault(endpoint, answer);
  }

  #tokenFor({ endpoint, twist, asker }: Draft): string | undefined {
    if (twist === 'token') return ['x', '', 'plat_x', undefined][asker % 4];
    return endings.test(endpoint.id) ? undefined : this.#tokens[asker % this.#tokens.length];
  }

  #successFault({ id, answers }: Endpoint, { status, headers, body }: Answer): string | undefined {
    this.report.succeeded.add(id);
    const said = answers.get(status);
    if (!said) return `answered ${status}, which is not documented`;
    const type = headers['content-type']?.split(';')[0];
    if (said.type !== undefined && said.type !== '*/*' && said.type !== type) return `answered with ${type}, not ${said.type}`;
    if (said.type !== 'application/json' || !said.schema) return undefined;
    const value: unknown = JSON.parse(body);
    this.#learn(value);
    const wrong = misfit(value, said.schema);
    return wrong === undefined ? undefined : `answered another shape than is documented: ${wrong}`;
  }

  #learn(value: unknown): void {
    for (const [key, each] of Object.entries((Array.isArray(value) ? value[0] : value) ?? {})) {
      if (/(^|_)id$/.test(key) && each !== null && this.#ids.length < 1_000) this.#ids.push(each);
    }
  }

  async #look(): Promise<string | undefined> {
    const answer = await fetch(`${this.#url}/healthz`, { signal: AbortSignal.timeout(alive_ms) }).catch((fault: Error) => fault);
    return answer instanceof Error ? `left the server without life: ${answer.message}` : undefined;
  }
}

function failureFault({ answers }: Endpoint, { status, headers, body }: Answer): string | undefined {
  const shown = `${status} ${body.slice(0, 300)}`;
  if (body === '') return `failed without a body: ${shown}`;
  const error = JSON.parse(body) as Record<string, unknown>;
  const { code, message, statusCode, request_id } = error;
  if (statusCode !== status || typeof code !== 'string' || typeof message !== 'string' || request_id !== headers['x-request-id'])
    return `has no body of a failure: ${shown}`;
  if (status >= 500 && !upstream.test(code)) return `failed: ${shown}`;
  return answers.get(status)?.codes.includes(code) ? undefined : `failed in a way that is not documented: ${shown}`;
}
