import type { Fault, Secrets } from '../../../kernel/contract/index.js';
import type { ModelEndpoint, NewModelEndpoint } from '../contract.js';
import type { ModelSettings } from '../settings.js';
import type { StoredEndpoint } from './profile.js';

/** Converts models' addresses and keys between stored and public form. */
export class Endpoints {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Returns the employee's model after a change; adds validation errors to `faults`. */
  changed(change: NewModelEndpoint, current: StoredEndpoint | null, { known, faults }: ChangeContext): StoredEndpoint {
    const { features, max_tokens, price, ...stored } = current ?? { base_url: '', model: '', features: {}, max_tokens: 0, price: null };
    const { base_url = stored.base_url, model = stored.model } = change;
    const endpoint = this.#endpoint({ features, max_tokens, price, ...change, base_url, model }, { prefix: 'model.', known, faults });
    const orphanedKey = change.api_key === undefined && endpoint.api_key === '' && current?.api_key;
    if (orphanedKey)
      faults.push({ path: 'model.api_key', message: 'The stored key belongs to another address: set a new key, or an empty one' });
    return endpoint;
  }

  /** Converts a list of models that replaces the previous one. */
  fromList(given: readonly NewModelEndpoint[], { known, faults }: ChangeContext): StoredEndpoint[] {
    return given.map((endpoint, index) => this.#endpoint(endpoint, { prefix: `fallback_models.${index}.`, known, faults }));
  }

  /** Converts a model that is not stored. */
  unstored(given: NewModelEndpoint, context: ChangeContext): StoredEndpoint {
    return this.#endpoint(given, { prefix: '', ...context });
  }

  toRecord({ api_key, ...shown }: StoredEndpoint): ModelEndpoint {
    return { ...shown, has_api_key: api_key !== '' };
  }

  /** Returns the settings of a request; undefined if it needs the platform's model and none is configured. */
  settings(endpoint: StoredEndpoint, platform: ModelSettings | undefined, employee: number): ModelSettings | undefined {
    const { base_url, model, api_key, features, max_tokens } = endpoint;
    if (base_url === '') return platform && withOverrides(platform, endpoint);
    const key = api_key === '' ? '' : this.#secrets.open(api_key).toString();
    return { base_url, api_key: key, name: model || 'default', employee, features, max_tokens };
  }

  /** `prefix`: of the paths of faults. */
  #endpoint(given: NewModelEndpoint, { prefix, known, faults }: ChangeContext & { prefix: string }): StoredEndpoint {
    const { base_url = '', model = '', api_key, features = {}, max_tokens = 0, price = null } = given;
    const fault = addressFault(base_url);
    if (fault) faults.push({ path: `${prefix}base_url`, message: fault });
    if (base_url === '' && api_key) faults.push({ path: `${prefix}api_key`, message: 'A key needs its address, base_url' });
    if (fault || base_url === '') return { base_url: '', model, api_key: '', features, max_tokens, price };
    const same = known.find((endpoint) => endpoint.api_key !== '' && originOf(endpoint.base_url) === originOf(base_url));
    const sealed = api_key === undefined ? (same?.api_key ?? '') : this.#sealed(api_key);
    return { base_url, model, api_key: sealed, features, max_tokens, price };
  }

  #sealed(api_key: string): string {
    return api_key === '' ? '' : this.#secrets.seal(Buffer.from(api_key));
  }
}

/** Applies the employee's overrides to the platform's model. */
function withOverrides(platform: ModelSettings, { model, features, max_tokens }: StoredEndpoint): ModelSettings {
  const overrides = { features: { ...platform.features, ...features }, max_tokens: max_tokens || (platform.max_tokens ?? 0) };
  return { ...platform, ...overrides, name: model || platform.name };
}

interface ChangeContext {
  /** Models stored now: their keys stay with their addresses. */
  known: readonly StoredEndpoint[];
  faults: Fault[];
}

function addressFault(base_url: string): string | undefined {
  if (base_url === '') return undefined;
  if (!URL.canParse(base_url)) return 'Not a valid address';
  const { protocol, username, password, search, hash } = new URL(base_url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'The address must begin with http:// or https://';
  if (username || password) return 'The address must not contain credentials: set the key in api_key';
  return search || hash ? 'The address must not contain ? or #' : undefined;
}

function originOf(base_url: string): string {
  return URL.canParse(base_url) ? new URL(base_url).origin : '';
}
