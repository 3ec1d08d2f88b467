import type { ModelFault } from '../contract.js';
import { type ModelSettings, nameOfLimit, nameOfSetting } from '../settings.js';

interface Advised {
  code: ModelFault;
  status: number | undefined;
  /** The server's own words. */
  said: string;
  settings: ModelSettings;
  /** A fault that needs other advice than its code: a limit that is too small, an answer that can't be used, or content that was refused. */
  about?: 'max_tokens' | 'idle' | 'first_byte' | 'answer' | 'content';
}

const fallbacks = 'fallback_models of the AI employee';
const missingModel =
  /\bmodel\b.{0,200}(not found|not exist|no such|not available|not loaded|try pulling|not a valid)|(unknown|no such|invalid|nonexistent) model/i;
const wrongPath = /endpoint or method|unknown request url|cannot post|page not found|no route|unknown (path|url|endpoint)/i;
const misplaced = new Set<number | undefined>([301, 302, 303, 307, 308, 404, 405]);

/** Names the setting that helps against a failure, as a sentence; empty if none does. */
export function adviceFor({ code, status, said, settings, about }: Advised): string {
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
      return refused({ status, said, settings });
  }
}

function refused({ status, said, settings }: Pick<Advised, 'status' | 'said' | 'settings'>): string {
  const name = nameOfSetting(settings, 'model');
  if (status !== undefined && status < 500 && missingModel.test(said)) return `Check ${name}`;
  const isMisplaced = misplaced.has(status) && !/no endpoints/i.test(said);
  if (isMisplaced || wrongPath.test(said)) return `Check ${nameOfSetting(settings, 'base_url')}${endingOf(settings)}`;
  if (status !== undefined && status >= 500) return `Try again later, or name another model in ${name}`;
  if (/max_(completion_)?tokens/.test(said)) return `Check ${nameOfSetting(settings, 'max_tokens')}`;
  return `If it refuses something that it can do without, switch that off in ${nameOfSetting(settings, 'features')}; or check ${name}`;
}

/** Nearly all servers answer below a path of their own, which people forget. */
function endingOf({ base_url }: ModelSettings): string {
  const path = URL.canParse(base_url) ? new URL(base_url).pathname.replace(/\/+$/, '') : '';
  if (path.endsWith('/chat/completions')) return ": it must end before '/chat/completions'";
  return path === '' ? `: most servers need a path, as in ${base_url.replace(/\/+$/, '')}/v1` : '';
}
