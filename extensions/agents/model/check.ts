import type { CheckResult } from '../../../kernel/contract/index.js';
import type { ModelHabit } from '../contract.js';
import { allowanceOf, hostOf, type ModelSettings } from '../settings.js';
import type { ModelFailure } from './failures.js';
import { Model } from './model.js';

/** Model that is in use. */
export interface AskedModel {
  settings: ModelSettings;
  /** Whether it is used only if an AI employee's own model fails. */
  fallback: boolean;
}

export interface CheckSources {
  web: (allow: readonly string[]) => typeof globalThis.fetch;
  /** Features that the servers were found to lack. */
  habits: readonly ModelHabit[];
}

const answer_ms = 4_000;
const max_checked = 10;

interface Fault extends AskedModel {
  failure: ModelFailure;
}

/** Checks that the model servers answer and accept their keys. Each is asked for its list of models, which costs nothing. */
export async function checkModels(
  platform: ModelSettings | undefined,
  employeeModels: readonly AskedModel[],
  { web, habits }: CheckSources,
): Promise<CheckResult> {
  const asked = distinct([...(platform ? [{ settings: platform, fallback: false }] : []), ...employeeModels]).slice(0, max_checked);
  const faults = (await Promise.all(asked.map((each) => faultsOf(each, web)))).flat();
  const [first] = faults;
  if (first) return { ok: false, message: faults.map(({ failure }) => failure.message).join('. '), fix: fixOf(first) };
  if (!platform)
    return {
      ok: true,
      message: `${noModel}${asked.length > 0 ? `. ${ownModels(asked.length, 'model')}` : ''}${learntFeatures(habits)}`,
    };
  const more = asked.length > 1 ? `. ${ownModels(asked.length - 1, 'other model')} too` : '';
  return {
    ok: true,
    message: `AI employees ask the model '${platform.name}' at ${hostOf(platform)}, which answers${more}${learntFeatures(habits)}`,
  };
}

const noModel =
  'No model is configured: the built-in offline responder answers. Set PLATFORM_MODEL_BASE_URL and PLATFORM_MODEL_NAME to use a model';

/** Returns a sentence about models that are set for single AI employees: `2 other models, set for single AI employees, answer`. */
function ownModels(count: number, noun: string): string {
  return count === 1 ? `One ${noun}, set for single AI employees, answers` : `${count} ${noun}s, set for single AI employees, answer`;
}

/** Lists the missing features of servers: they tell an administrator why an AI employee uses no tools. */
function learntFeatures(habits: readonly ModelHabit[]): string {
  const urls = new Map<string, Set<string>>();
  for (const { base_url } of habits) urls.set(hostOf({ base_url }), (urls.get(hostOf({ base_url })) ?? new Set()).add(base_url));
  const models = new Map<string, Set<string>>();
  for (const { model, base_url, feature } of habits) {
    const host = hostOf({ base_url });
    // One host may serve several endpoints under different paths.
    const name = `'${model}' at ${urls.get(host)?.size === 1 ? host : base_url}`;
    models.set(name, (models.get(name) ?? new Set()).add(feature));
  }
  return [...models].map(([name, lacking]) => `. Learnt: ${name} lacks ${[...lacking].join(', ')}`).join('');
}

/** Returns one model of each address and key. */
function distinct(models: readonly AskedModel[]): AskedModel[] {
  const found = new Map<string, AskedModel>();
  for (const each of models) {
    const key = `${each.settings.base_url}\n${each.settings.api_key}`;
    if (!found.has(key)) found.set(key, each);
  }
  return [...found.values()];
}

async function faultsOf(model: AskedModel, web: CheckSources['web']): Promise<Fault[]> {
  const { settings } = model;
  const failure = await new Model({ settings, fetch: web([allowanceOf(settings)]) }).refusal(AbortSignal.timeout(answer_ms));
  return failure ? [{ ...model, failure }] : [];
}

function fixOf({ settings: { employee }, fallback, failure: { code } }: Fault): string {
  const isKey = code === 'model_auth' || code === 'model_quota';
  if (employee === undefined)
    return isKey
      ? 'PLATFORM_MODEL_API_KEY_FILE=/path/to/key platform serve'
      : 'start that server, or name another: PLATFORM_MODEL_BASE_URL=http://127.0.0.1:11434/v1 platform serve';
  if (fallback) return `platform employee update ${employee} --fallback-models '{"base_url":"https://…/v1","api_key":"…","model":"…"}'`;
  return `platform employee update ${employee} --model '${isKey ? '{"api_key":"…"}' : '{"base_url":"https://…/v1","api_key":"…","model":"…"}'}'`;
}
