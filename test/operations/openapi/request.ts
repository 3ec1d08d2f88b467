import fc, { type Arbitrary } from 'fast-check';
import { text } from '../../../kernel/client/route.js';
import { damages } from '../bad-input/damage.js';
import { weird } from '../bad-input/weird.js';
import { type Message, render } from '../bad-input/wire.js';
import type { Endpoint } from './document.js';
import { good } from './sample.js';

/** Changes to a good request. */
export type Twist = 'none' | 'value' | 'missing' | 'surplus' | 'type' | 'token';

export interface Draft {
  endpoint: Endpoint;
  twist: Twist;
  /** Values of the parameters, by name. */
  parameters: Readonly<Record<string, unknown>>;
  body: unknown;
  /** Index of the asker, and of the known ids. */
  asker: number;
  pick: number;
}

const surplus = { __proto__: null, constructor: { prototype: { role: 'admin' } }, role: 'admin', member_id: 1, id: 1, '': 0, 'a.b': [] };
const harmful = damages.flatMap(({ values }) => values).filter((value) => JSON.stringify(value ?? null).length < 100_000);

/** Requests to an operation: half of them good, as far as the document tells. */
export function drafts(endpoint: Endpoint): Arbitrary<Draft> {
  const { parameters, body } = endpoint;
  const sent = parameters.filter(({ in: place }) => place !== 'header');
  const values = Object.fromEntries(sent.map(({ name, schema }) => [name, good(schema)]));
  const requiredKeys = sent.filter(({ required }) => required).map(({ name }) => name);
  const twist = fc.oneof(
    { weight: 5, arbitrary: fc.constant('none' as const) },
    fc.constantFrom<Twist>('value', 'missing', 'surplus', 'type', 'token'),
  );
  return fc
    .record({
      twist,
      parameters: fc.record(values, { requiredKeys }),
      body: body ? good(body.schema) : fc.constant(undefined),
      asker: fc.nat(1_000),
      pick: fc.nat(1_000_000),
      odd: fc.oneof(weird((body?.schema ?? {}) as object), fc.constantFrom(...harmful)),
    })
    .map(({ odd, ...draft }) => twisted({ endpoint, ...draft }, odd));
}

/** With one value, key or more that is not as it should be. */
function twisted(draft: Draft, odd: unknown): Draft {
  const { twist, pick, parameters } = draft;
  const body = isObject(draft.body) ? draft.body : undefined;
  const [place, key] = nth(
    [...Object.keys(parameters).map((name) => ['parameters', name]), ...Object.keys(body ?? {}).map((name) => ['body', name])],
    pick,
  );
  if (twist === 'surplus')
    return body ? { ...draft, body: { ...body, ...surplus } } : { ...draft, parameters: { ...parameters, ...surplus } };
  if ((twist !== 'value' && twist !== 'missing') || key === undefined) return draft;
  const change = (fields: Readonly<Record<string, unknown>>) => {
    const { [key]: _was, ...rest } = fields;
    return twist === 'missing' ? rest : { ...rest, [key]: odd };
  };
  return place === 'body' ? { ...draft, body: change(body ?? {}) } : { ...draft, parameters: change(parameters) };
}

function nth(all: readonly string[][], at: number): readonly string[] {
  return all[at % Math.max(1, all.length)] ?? [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
}

/** Its bytes; nothing where no address can carry it. */
export async function messageOf(
  { endpoint, parameters, body, twist }: Draft,
  sender: { host: string; token: string | undefined },
): Promise<Message | undefined> {
  const target = targetOf(endpoint, parameters);
  if (target === undefined || target.length > 12_000) return undefined;
  const authorization: Record<string, string> = sender.token === undefined ? {} : { authorization: `Bearer ${sender.token}` };
  const { bytes, type } = await contentOf(endpoint, body);
  const shown = twist === 'type' ? 'text/plain; charset=utf-7' : type;
  const headers = { host: sender.host, ...authorization, ...(bytes && shown ? { 'content-type': shown } : {}) };
  return render({ method: endpoint.method, target, headers, ...(bytes ? { body: bytes } : {}) });
}

function targetOf({ path, parameters: known }: Endpoint, parameters: Readonly<Record<string, unknown>>): string | undefined {
  const query = new URLSearchParams();
  let target = path;
  for (const [name, value] of Object.entries(parameters)) {
    const shown = [value ?? ''].flat().map(text);
    if (shown.some((one) => one === undefined || !one.isWellFormed())) return undefined;
    if (!known.some((one) => one.name === name && one.in === 'path')) for (const one of shown) query.append(name, one);
    else if (/^\.{0,2}$/.test(shown.join())) return undefined;
    else target = target.replace(`{${name}}`, encodeURIComponent(shown.join()));
  }
  if (target.includes('{')) return undefined;
  return query.size === 0 ? target : `${target}?${query.toString()}`;
}

async function contentOf({ body: described }: Endpoint, body: unknown): Promise<{ bytes?: Buffer; type?: string }> {
  if (!described || body === undefined) return {};
  if (described.type !== 'multipart/form-data') return { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' };
  const form = new FormData();
  for (const [key, value] of Object.entries(isObject(body) ? body : {})) {
    if (Buffer.isBuffer(value)) form.append(key, new Blob([new Uint8Array(value)]), 'a file');
    else form.append(key, String(text(value ?? '')).toWellFormed());
  }
  const made = new Response(form);
  return { bytes: Buffer.from(await made.arrayBuffer()), type: made.headers.get('content-type') ?? '' };
}
