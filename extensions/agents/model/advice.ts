import type { ModelFault } from '../contract.js';
import { type ModelSettings, nameOfLimit, nameOfSetting } from '../settings.js';

interface AdviceInput {
  code: ModelFault;
  status: number | undefined;
  /** Message of the server. */
  said: string;
  settings: ModelSettings;
  /** Fault that needs other advice than its code: a limit that is too small, an unusable answer, or refused content. */
  about?: 'max_tokens' | 'idle' | 'first_byte' | 'answer' | 'content';
}

const fallbacks = 'fallback_models of the AI employee';
const missingModel =
  /\bmodel\b.{0,200}(not found|not exist|no such|not available|not loaded|try pulling|not a valid)|(unknown|no such|invalid|nonexistent) model/i;
const wrongPath = /endpoint or method|unknown request url|cannot post|page not found|no route|unknown (path|url|endpoint)/i;
const wrongAddressStatuses = new Set<number | undefined>([301, 302, 303, 307, 308, 404, 405]);

/** Returns a sentence that names the setting that helps against a failure; empty if none does. */
export function adviceFor({ code, status, said, settings, about }: AdviceInput): string {
  const set = (name: Parameters<typeof nameOfSetting>[1]) => nameOfSetting(settings, name);
  if (about === 'max_tokens') return `Raise ${set('max_tokens')}, or ask for less at once`;
  if (about === 'answer') return `Try again, or name another model in ${set('model')}`;
  if (about === 'content') return `Say it in another way, or name another model in ${set('model')}`;
  if (about) return `The limit is ${nameOfLimit(about)}`;
  switch (code) {
    case 'model_unavailable':
      return status === undefined ? `Check ${set('base_url')}` : `Try again later, or set ${fallbacks}`;
    case 'model_auth':
      return `An administrator must check ${set('api_key')}`;
    case 'model_quota':
      return `Add credit, or change ${set('api_key')}`;
    case 'model_rate_limited':
      return `Try again later, or set ${fallbacks}`;
    case 'context_overflow':
      return `Begin a new conversation, or name a model that takes longer ones in ${set('model')}`;
    case 'timeout':
      return `The limit is ${nameOfLimit('first_byte')}`;
    case 'model_error':
      return adviceForRefusal({ status, said, settings });
  }
}

function adviceForRefusal({ status, said, settings }: Pick<AdviceInput, 'status' | 'said' | 'settings'>): string {
  const name = nameOfSetting(settings, 'model');
  if (status !== undefined && status < 500 && missingModel.test(said)) return `Check ${name}`;
  const isMisplaced = wrongAddressStatuses.has(status) && !/no endpoints/i.test(said);
  if (isMisplaced || wrongPath.test(said)) return `Check ${nameOfSetting(settings, 'base_url')}${pathHint(settings)}`;
  if (status !== undefined && status >= 500) return `Try again later, or name another model in ${name}`;
  if (/max_(completion_)?tokens/.test(said)) return `Check ${nameOfSetting(settings, 'max_tokens')}`;
  return `If it refuses something that it can do without, switch that off in ${nameOfSetting(settings, 'features')}; or check ${name}`;
}

/** Suggests a path: nearly all servers answer below one, and people forget it. */
function pathHint({ base_url }: ModelSettings): string {
  const path = URL.canParse(base_url) ? new URL(base_url).pathname.replace(/\/+$/, '') : '';
  if (path.endsWith('/chat/completions')) return ": it must end before '/chat/completions'";
  return path === '' ? `: most servers need a path, as in ${base_url.replace(/\/+$/, '')}/v1` : '';
}
