import type { Test } from 'tap';
import { direct } from '../../kernel/client/direct.js';
import { http } from '../../kernel/client/http.js';
import type { Request, Transport } from '../../kernel/client/transport.js';
import { Failure, isFailure, type OperationData, type StreamEvent } from '../../kernel/contract/index.js';
import {
  adminPassword,
  callerOf,
  fixture,
  ownExtension,
  type PlatformOptions,
  startPlatform,
  type TestPlatform,
} from '../helpers/platform.js';

/** Where receivers of outgoing calls listen in these tests; the rest of the loopback stays refused. */
export const receiver_host = '127.0.0.2';

/** Where no container engine listens. */
const no_engine = 'unix:///nowhere/docker.sock';

/** The callers. `reader` is ada with a token of the scope `read` alone; `limited` with `chat` alone. */
export type Asker = 'admin' | 'ada' | 'bob' | 'reader' | 'limited' | 'nobody' | 'forger';

export type Way = 'direct' | 'http';

/** Outcome of an operation: its status and body or events, or its failure; without what differs between two runs. */
export type Result =
  | { status: number; body: unknown }
  | { events: unknown[] }
  | { failure: { status: number; code: string; message: string; details: unknown } };

/** One platform, asked in one way, with the same people in it as every other. */
export class Side {
  readonly platform: TestPlatform;
  readonly way: Way;
  readonly operations: Readonly<Record<string, OperationData>>;
  readonly tokens = new Map<Asker, string>();
  #named = 0;

  private constructor(platform: TestPlatform, way: Way) {
    this.platform = platform;
    this.way = way;
    this.operations = platform.kernel.operations();
  }

  static async #platform(t: Test, way: Way, options: PlatformOptions): Promise<Side> {
    const own = ['members', 'chat', 'agents', 'nodes', 'schedules', 'notifications', 'marketplace'].map(ownExtension);
    const extensions = [...own, fixture('hello')];
    return new Side(
      await startPlatform(t, {
        extensions,
        ...options,
        settings: { fetch_allow: [receiver_host], docker_host: no_engine, ...options.settings },
      }),
      way,
    );
  }

  static async start(t: Test, way: Way, options: PlatformOptions = {}): Promise<Side> {
    const side = await Side.#platform(t, way, options);
    await side.logIn('admin', 'admin');
    for (const username of ['ada', 'bob']) await side.give('members.create', { username, password: adminPassword });
    for (const [asker, username] of [
      ['ada', 'ada'],
      ['bob', 'bob'],
    ] as const)
      await side.logIn(asker, username);
    for (const [asker, scope] of [
      ['reader', 'read'],
      ['limited', 'chat'],
    ] as const) {
      const { token } = await side.give<{ token: string }>('tokens.create', { name: asker, scopes: [scope] }, 'ada');
      side.tokens.set(asker, token);
    }
    side.tokens.set('forger', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.');
    return side;
  }

  /** The same platform once it was started again elsewhere, asked with the tokens of before. */
  static async reopen(t: Test, before: Side, settings: NonNullable<PlatformOptions['settings']>): Promise<Side> {
    const side = await Side.#platform(t, before.way, { settings });
    for (const [asker, token] of before.tokens) side.tokens.set(asker, token);
    return side;
  }

  /** A user name that nobody has; the same on every side that is asked as often. */
  newName(): string {
    this.#named += 1;
    return `member-${this.#named}`;
  }

  async logIn(asker: Asker, username: string): Promise<void> {
    const { access_token } = await this.give<{ access_token: string }>('auth.login', { username, password: adminPassword }, 'nobody');
    this.tokens.set(asker, access_token);
  }

  /** Asks for something that a test needs beforehand, and gives its body. */
  async give<Body = { id: number }>(operation: string, input: object = {}, asker: Asker = 'admin'): Promise<Body> {
    const transport = await this.#transport(asker, operation);
    try {
      return (await transport.call(this.#request(operation, input))).body as Body;
    } finally {
      await transport.close();
    }
  }

  /** Asks, and gives what came of it, comparable between two platforms. A stream is read until `last`. */
  async ask(operation: string, input: object, { asker = 'ada', last = 'done' }: { asker?: Asker; last?: string } = {}): Promise<Result> {
    let transport: Transport | undefined;
    try {
      transport = await this.#transport(asker, operation);
      const request = this.#request(operation, input);
      if (request.operation.kind === 'stream')
        return comparable({ events: joined(await readUntil(transport.stream(request), last)) }) as Result;
      const { status, body } = await transport.call(request);
      return comparable({ status, body }) as Result;
    } catch (fault) {
      if (!isFailure(fault)) throw fault;
      const { status, code, message, details } = fault;
      return comparable({ failure: { status, code, message, details } }) as Result;
    } finally {
      await transport?.close();
    }
  }

  #request(id: string, input: object): Request {
    const operation = this.operations[id];
    if (!operation) throw new Failure('operation_not_found', `There is no operation '${id}'`, { status: 404 });
    return { id, operation, input, options: {} };
  }

  async #transport(asker: Asker, operation: string): Promise<Transport> {
    const { kernel, url } = this.platform;
    const token = this.tokens.get(asker);
    if (this.way === 'http') return http({ url, token, resume: { attempts: 0 } });
    // Over HTTP a token on a public operation isn't looked at.
    const isPublic = this.operations[operation]?.who === 'public';
    return direct(
      kernel,
      token && !isPublic ? await kernel.tokenCaller(token, 'direct') : callerOf({ member_id: 0, username: '', role: 'member' }),
    );
  }
}

async function readUntil(stream: AsyncIterable<StreamEvent>, last: string): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    if (event.type === last) break;
  }
  return events;
}

/** A text comes in as many pieces as the clock made of it: they become one, and what is counted with them has no numbers. */
function joined(events: readonly StreamEvent[]): StreamEvent[] {
  if (!events.some(({ type }) => type === 'message.delta')) return [...events];
  const all: StreamEvent[] = [];
  for (const event of events) {
    const [last, data] = [all.at(-1), { ...(event.data as { delta?: string }), seq: '<number>' }];
    if (event.type === 'message.delta' && last?.type === event.type) (last.data as { delta: string }).delta += data.delta;
    else all.push({ ...event, id: '<number>', data });
  }
  return all;
}

const changing: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?/g, '<time>'],
  [/<uuid>\.[0-9a-f]+\.(\d+)/g, '<uuid>.<epoch>.$1'],
  [/("node:\d+)\.[0-9a-f]+\.\d+/g, '$1.<cursor>'],
  [/"(access_token|refresh_token|token|ticket|kid)":"[^"]+"/g, '"$1":"<secret>"'],
  [/\/invitation\/[\w-]{43}/g, '/invitation/<secret>'],
  [/"(memory_mb|restarts|generation|uptime_s|bytes|rows|ms|duration_ms)":[\d.]+/g, '"$1":"<number>"'],
  [/"(requests|errors|requests_per_second|errors_per_minute|streams|sockets|rss|heap_used|heap_total)":[\d.]+/g, '"$1":"<number>"'],
  [/"help":("[^"]*"),"value":[\d.]+/g, '"help":$1,"value":"<number>"'],
  [/"url":"http:\/\/127\.0\.0\.1:\d+"/g, '"url":"http://<server>"'],
  [/\d{8}T\d{9}Z-[0-9a-f]{8}\.tar/g, '<backup>'],
  [/The disk of \S+ has [\d.]+ \w+ of [\d.]+ \w+ left/g, '<room>'],
  [/"sha256":"[0-9a-f]{64}"/g, '"sha256":"<hash>"'],
  [/"id":\d+,"at":/g, '"id":"<number>","at":'],
  [/"door":"(?:http|direct)","via":"[^"]*","address":"[\d.]*","request_id":"[^"]+"/g, '"door":"<door>"'],
  [/"id":"[\w-]{22}"/g, '"id":"<login>"'],
  [/"address":"[\d.]*","created_at":/g, '"address":"<address>","created_at":'],
  // Notices of AI employees to their members come in between.
  [/"unread":\d+/g, '"unread":"<number>"'],
  [/"id":\d+,"source":/g, '"id":"<number>","source":'],
  [/"notification_ids":\[[\d,]+\]/g, '"notification_ids":["<number>"]'],
  [/notification \d+/g, 'notification <number>'],
];

/** The value without ids, times and secrets. */
function comparable(value: unknown): unknown {
  const text = changing.reduce((changed, [pattern, word]) => changed.replace(pattern, word), JSON.stringify(value));
  return JSON.parse(text);
}
