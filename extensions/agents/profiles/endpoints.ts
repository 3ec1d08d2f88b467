import type { Fault, Secrets } from '../../../kernel/contract/index.js';
import type { ModelEndpoint, NewModelEndpoint } from '../contract.js';
import type { ModelSettings } from '../settings.js';
import type { KeptEndpoint } from './profile.js';

/** The addresses and keys of models, as they are kept and as they are shown. */
export class Endpoints {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** The employee's model after a change; what is wrong with it is added to `faults`. */
  changed(given: NewModelEndpoint, current: KeptEndpoint | null, { known, faults }: ChangeContext): KeptEndpoint {
    const { features, max_tokens, ...kept } = current ?? { base_url: '', model: '', features: {}, max_tokens: 0 };
    const { base_url = kept.base_url, model = kept.model } = given;
    const endpoint = this.#endpoint({ features, max_tokens, ...given, base_url, model }, { path: 'model', known, faults });
    const lost = given.api_key === undefined && endpoint.api_key === '' && current?.api_key;
    if (lost)
      faults.push({ path: 'model.api_key', message: 'The key that is kept belongs to another address: give one, or an empty text' });
    return endpoint;
  }

  /** A list of models, which replaces another. */
  listed(given: readonly NewModelEndpoint[], { known, faults }: ChangeContext): KeptEndpoint[] {
    return given.map((endpoint, index) => this.#endpoint(endpoint, { path: `fallback_models.${index}`, known, faults }));
  }

  shown({ base_url, model, api_key, features, max_tokens }: KeptEndpoint): ModelEndpoint {
    return { base_url, model, has_api_key: api_key !== '', features, max_tokens };
  }

  /** What is asked; undefined where it needs a model of the platform's and there is none. */
  settings(endpoint: KeptEndpoint, platform: ModelSettings | undefined, employee: number): ModelSettings | undefined {
    const { base_url, model, api_key, features, max_tokens } = endpoint;
    if (base_url === '') return platform && ofPlatform(platform, endpoint);
    const key = api_key === '' ? '' : this.#secrets.open(api_key).toString();
    return { base_url, api_key: key, name: model || 'default', employee, features, max_tokens };
  }

  #endpoint(given: NewModelEndpoint, { path, known, faults }: ChangeContext & { path: string }): KeptEndpoint {
    const { base_url = '', model = '', api_key, features = {}, max_tokens = 0 } = given;
    const fault = faultOf(base_url);
    if (fault) faults.push({ path: `${path}.base_url`, message: fault });
    if (base_url === '' && api_key) faults.push({ path: `${path}.api_key`, message: 'A key needs the address that it is for, base_url' });
    if (fault || base_url === '') return { base_url: '', model, api_key: '', features, max_tokens };
    const same = known.find((endpoint) => endpoint.api_key !== '' && originOf(endpoint.base_url) === originOf(base_url));
    return { base_url, model, api_key: api_key === undefined ? (same?.api_key ?? '') : this.#sealed(api_key), features, max_tokens };
  }

  #sealed(api_key: string): string {
    return api_key === '' ? '' : this.#secrets.seal(Buffer.from(api_key));
  }
}

/** The platform's model, with what the employee's settings say of it. */
function ofPlatform(platform: ModelSettings, { model, features, max_tokens }: KeptEndpoint): ModelSettings {
  const own = { features: { ...platform.features, ...features }, max_tokens: max_tokens || (platform.max_tokens ?? 0) };
  return { ...platform, ...own, name: model || platform.name };
}

interface ChangeContext {
  /** Those that are kept now: their keys stay with their addresses. */
  known: readonly KeptEndpoint[];
  faults: Fault[];
}

function faultOf(base_url: string): string | undefined {
  if (base_url === '') return undefined;
  if (!URL.canParse(base_url)) return 'This is no address';
  const { protocol, username, password, search, hash } = new URL(base_url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'The address must begin with http:// or https://';
  if (username || password) return 'The address must not hold credentials: the key has a field of its own, api_key';
  return search || hash ? 'The address must end with its path, without ? and #' : undefined;
}

function originOf(base_url: string): string {
  return URL.canParse(base_url) ? new URL(base_url).origin : '';
}
