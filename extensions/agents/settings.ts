import type { FeatureSwitches } from './model/features.js';
import type { ModelPrice } from './model-contract.js';

/** Model endpoint from the configuration or an employee's settings. */
export interface ModelSettings {
  base_url: string;
  /** Empty if the endpoint needs none. */
  api_key: string;
  name: string;
  /** Employee whose settings define it; the platform's configuration if omitted. */
  employee?: number;
  /** Whether the employee's settings list it as a fallback. */
  fallback?: boolean;
  /** Whether it is only tested, so that no stored setting can be at fault. */
  tested?: boolean;
  /** Parts of the protocol that the server has or lacks, set by hand. The rest is learnt. */
  features?: FeatureSwitches;
  /** Token limit of an answer; 0, the default, means the server's limit. */
  max_tokens?: number;
  /** Only the platform's model: its price for a million tokens. */
  price?: ModelPrice;
}

/** Default time limits of AI employees, in seconds. */
export interface WaitLimits {
  seconds: number;
  first_byte_seconds: number;
  idle_seconds: number;
}

type Config = Readonly<Record<string, unknown>>;

/** Reads the configured model; undefined if there is none: then the offline responder answers. */
export function readModel(config: Config): ModelSettings | undefined {
  const model = section(config, 'model');
  const text = (key: string) => (typeof model[key] === 'string' ? model[key] : '');
  const base_url = text('base_url');
  if (base_url === '') return undefined;
  const features = section(model, 'features') as FeatureSwitches;
  // An empty text means that none is set.
  const price = typeof model.price === 'object' && model.price !== null ? { price: model.price as ModelPrice } : {};
  const max_tokens = numberIn(model, 'max_tokens', 0);
  // Servers with a single model accept any name.
  return { base_url, api_key: text('api_key'), name: text('name') || 'default', features, max_tokens, ...price };
}

/** Reads the configured time limits. */
export function readWaitLimits(config: Config): WaitLimits {
  const limits = section(config, 'limits');
  return {
    seconds: numberIn(limits, 'seconds', 1_800),
    first_byte_seconds: numberIn(limits, 'first_byte_seconds', 120),
    idle_seconds: numberIn(limits, 'idle_seconds', 120),
  };
}

const variables = {
  base_url: 'PLATFORM_MODEL_BASE_URL',
  api_key: 'PLATFORM_MODEL_API_KEY',
  model: 'PLATFORM_MODEL_NAME',
  features: 'PLATFORM_MODEL_FEATURES',
  max_tokens: 'PLATFORM_MODEL_MAX_TOKENS',
};

/** Names a model setting for people: an environment variable of the platform, or a field of an AI employee. */
export function nameOfSetting({ employee, fallback, tested }: ModelSettings, name: keyof typeof variables): string {
  if (tested) return `'${name}'`;
  if (employee === undefined) return variables[name];
  const field = fallback ? `fallback_models[].${name}` : `model.${name}`;
  return `${field} in the settings of AI employee ${employee} (PUT /api/agents/${employee})`;
}

const limits = {
  first_byte: ['first_byte_seconds', 'PLATFORM_MODEL_FIRST_BYTE_S'],
  idle: ['idle_seconds', 'PLATFORM_MODEL_IDLE_S'],
} as const;

/** Names a time limit for people. */
export function nameOfLimit(name: keyof typeof limits): string {
  const [field, variable] = limits[name];
  return `limits.${field} of the AI employee, or ${variable} for all`;
}

/** Returns host and port, fit for display: the address itself may contain credentials. */
export function hostOf({ base_url }: Pick<ModelSettings, 'base_url'>): string {
  return URL.canParse(base_url) ? new URL(base_url).host : base_url;
}

/** Returns host and port for the network guard: on a private host only the model's own port is opened. */
export function allowanceOf({ base_url }: Pick<ModelSettings, 'base_url'>): string {
  if (!URL.canParse(base_url)) return base_url;
  const { hostname, port, protocol } = new URL(base_url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

function section(config: Config, key: string): Config {
  const found = config[key];
  return typeof found === 'object' && found !== null ? (found as Config) : {};
}

function numberIn(found: Config, key: string, fallback: number): number {
  const value = found[key];
  return typeof value === 'number' ? value : fallback;
}
