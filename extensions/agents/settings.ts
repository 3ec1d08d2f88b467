/** Where a model is asked, as the configuration says. */
export interface ModelSettings {
  base_url: string;
  /** Empty where the endpoint needs none. */
  api_key: string;
  name: string;
  /** Whose settings say so; the platform's configuration where left out. */
  employee?: number;
}

/** The configured model, or undefined where there is none: then the offline responder answers. */
export function readModel(config: Readonly<Record<string, unknown>>): ModelSettings | undefined {
  const model = (config.model ?? {}) as Readonly<Record<string, unknown>>;
  const text = (key: string) => (typeof model[key] === 'string' ? model[key] : '');
  const base_url = text('base_url');
  // Servers with one model alone take any name.
  return base_url === '' ? undefined : { base_url, api_key: text('api_key'), name: text('name') || 'default' };
}

/** The host and port by which the model is told to people: the address itself may hold credentials. */
export function hostOf({ base_url }: Pick<ModelSettings, 'base_url'>): string {
  return URL.canParse(base_url) ? new URL(base_url).host : base_url;
}

/** The host with its port, for the guard: no more of a private host is opened than the model's own port. */
export function allowanceOf({ base_url }: Pick<ModelSettings, 'base_url'>): string {
  if (!URL.canParse(base_url)) return base_url;
  const { hostname, port, protocol } = new URL(base_url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
