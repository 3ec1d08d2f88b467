import type { Verbatim } from 'platform/contract';

export interface Wording {
  template: string;
  max_length: number;
  hook: string;
}

/** Fills the template of the message with the values of a delivery. */
export function textOf({ headers, body }: Verbatim, { template, max_length, hook }: Wording): string {
  const json = parsed(body);
  const values: Record<string, string> = {
    hook,
    event: headers['x-github-event'] ?? headers['x-event'] ?? '',
    summary: summaryOf(json, body),
  };
  const text = template.replace(/\{([a-z]+)((?:\.\w{1,64}){0,10})\}/gi, (whole, name: string, path: string) => {
    if (name === 'body') return shown(at(json, path.split('.').slice(1)));
    return path === '' && Object.hasOwn(values, name) ? (values[name] ?? '') : whole;
  });
  return cut(text.replace(/\p{Cc}/gu, (character) => (/[\n\t]/.test(character) ? character : '')).trim(), max_length) || '(empty)';
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function summaryOf(json: unknown, body: Buffer): string {
  for (const key of ['text', 'message', 'title', 'summary']) {
    const value = at(json, [key]);
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return json === undefined ? body.toString('utf8') : shown(json);
}

/** Reads own properties only, so that `constructor` is never found. */
function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    const isThere = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key);
    return isThere ? (inner as Record<string, unknown>)[key] : undefined;
  }, value);
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cut(text: string, length: number): string {
  const characters = Array.from(text.slice(0, 2 * length + 2));
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
