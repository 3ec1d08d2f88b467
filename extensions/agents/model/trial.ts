import type { Clock } from '../../../kernel/contract/index.js';
import type { ModelTestReport } from '../contract.js';
import { allowanceOf, type ModelSettings } from '../settings.js';
import { explain } from './failures.js';
import { Model } from './model.js';

/** Model to test. */
export interface TestedModel {
  settings: ModelSettings;
  /** Whether it is asked a question, besides the server for its list of models. */
  asks: boolean;
}

interface TrialParts {
  web: (allow: readonly string[]) => typeof globalThis.fetch;
  clock: Clock;
  /** Ends the test early. */
  signal: AbortSignal;
}

const trial_ms = 60_000;
/** Limit of the answer: a model that reasons needs more than the word it is asked for. */
const max_tokens = 256;
const max_answer_length = 200;

/** Tests a model: reads the server's list of models, and asks for a one-word answer. Stores nothing. */
export async function testModel({ settings, asks }: TestedModel, { web, clock, signal }: TrialParts): Promise<ModelTestReport> {
  const started = clock.now();
  const until = AbortSignal.any([signal, AbortSignal.timeout(trial_ms)]);
  const limited = { ...settings, max_tokens: Math.min(settings.max_tokens || max_tokens, max_tokens) };
  const model = new Model({ settings: limited, fetch: web([allowanceOf(settings)]), patience: { retries: 0 } });
  const found: Pick<ModelTestReport, 'models' | 'answer' | 'usage' | 'error'> = { models: [], answer: null, usage: null, error: null };
  try {
    found.models = await model.names(until);
    if (asks) Object.assign(found, await askedOnce(model, until));
  } catch (fault) {
    signal.throwIfAborted();
    const { code, message } = explain(until.aborted ? until.reason : fault, settings);
    found.error = { code, message };
  }
  return { ok: found.error === null, model: asks ? settings.name : null, ...found, duration_ms: Math.max(0, clock.now() - started) };
}

async function askedOnce(model: Model, signal: AbortSignal): Promise<Pick<ModelTestReport, 'answer' | 'usage'>> {
  let answer = '';
  let usage: ModelTestReport['usage'] = null;
  const prompts = [{ role: 'user', content: 'Answer with the word OK.' }] as const;
  await model.answer({ prompts, signal, may_be_empty: true }, (piece) => {
    if (piece.type === 'text') answer += piece.text;
    if (piece.type === 'usage') usage = piece.usage;
  });
  return { answer: answer.trim().slice(0, max_answer_length).toWellFormed(), usage };
}
