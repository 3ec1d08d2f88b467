import { Failure, type Fault } from '../../../kernel/contract/failure.js';
import type { Role } from '../../../kernel/contract/operation.js';
import { Value } from './value.js';

/** A member of an access token. */
export interface LoggedIn {
  readonly member_id: number;
  readonly role: Role;
}

export type SessionState =
  /** Asks whether the browser is still logged in. */
  | { readonly phase: 'starting' }
  | { readonly phase: 'out' }
  | ({ readonly phase: 'in' } & LoggedIn)
  /** The login has ended although nobody logged out: the member logs in again over the page. */
  | ({ readonly phase: 'expired' } & LoggedIn);

export interface SessionOptions {
  /** Path of the platform below its origin: `''` or `/prefix`. */
  prefix: string;
  /** Called when another member has logged in, or this one logged out: everything that is shown belongs to the former. */
  restart: () => void;
}

interface Token {
  readonly text: string;
  /** Milliseconds since 1970, by this browser's clock. */
  readonly expires_at: number;
  /** Before this time it is renewed in the background. */
  readonly renew_at: number;
}

/** Messages between the tabs of a browser. */
type TabMessage = { type: 'token'; token: Token } | { type: 'out' };

/** A token that is nearly over isn't sent: it could expire on its way. */
const last_moment_ms = 5_000;
const longest_lead_ms = 120_000;
const max_timer_ms = 2_147_483_647;
/** Retry of a renewal that didn't reach the server. */
const retry_ms = 15_000;
const request_ms = 30_000;
/** Codes with which the platform says that a login is over. A proxy's own page, whatever its status, says nothing about the login. */
const refusals = ['invalid_token', 'unauthenticated', 'refresh_token_reused', 'invalid_input', 'origin_refused', 'forbidden'];

/**
 * The login of this browser. The access token lives in memory; the refresh token is a cookie that no script can read. Tabs share renewals: one
 * renews at a time and tells the others.
 */
export class Session {
  readonly state = new Value<SessionState>({ phase: 'starting' });
  readonly #options: SessionOptions;
  readonly #channel: BroadcastChannel | undefined;
  #token: Token | undefined;
  #renewal: Promise<string | undefined> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#channel = openChannel(this.#name('session'));
    this.#channel?.addEventListener('message', ({ data }) => this.#onMessage(data as TabMessage));
  }

  /** Returns the access token; undefined if there is none or it is nearly over. */
  token(): string | undefined {
    return this.#token !== undefined && Date.now() < this.#token.expires_at - last_moment_ms ? this.#token.text : undefined;
  }

  /** Returns whether it is worth asking the server. */
  mayBeLoggedIn(): boolean {
    return this.#isRemembered();
  }

  /** Finds out whether this browser is logged in. Rejects with `unreachable` if the server can't be asked. */
  async start(): Promise<void> {
    // A browser that never logged in saves itself a refused request.
    if (!this.#isRemembered()) return this.state.set({ phase: 'out' });
    await this.#renewOnce(undefined);
    if (this.#token === undefined) this.#leave();
  }

  /** Logs in. Rejects with the failure of the server. */
  async logIn(username: string, password: string): Promise<void> {
    this.adopt(await this.#post('/api/auth/login', { username, password, session: 'cookie' }));
  }

  /** Calls an operation that needs no login: reads without a body, otherwise sends it. Rejects with the failure of the server. */
  async ask(path: string, body?: object): Promise<unknown> {
    return this.#send(path, { body });
  }

  /**
   * Returns a new access token. If the login has ended it waits until the member has logged in again, so that a call isn't lost that was made
   * meanwhile. Rejects with `unreachable` if the server can't be asked.
   */
  async renew(): Promise<string | undefined> {
    const refused = this.#token;
    this.#renewal ??= this.#renewOnce(refused).finally(() => (this.#renewal = undefined));
    const text = await this.#renewal;
    return text ?? (await this.#loggedInAgain());
  }

  /** Takes over the login that an operation answered, as after a changed password, which ends all others. */
  adopt(answer: unknown): void {
    const token = tokenFrom(answer);
    this.#accept(token);
    this.#tell({ type: 'token', token });
  }

  /** Checks the token now: after a sleep, or when the network is back. */
  wake(): void {
    if (this.#token !== undefined && Date.now() >= this.#token.renew_at) this.#renewInBackground();
  }

  /** Logs out in all tabs. Rejects with `unreachable` if the server can't be told, because the cookie would stay. */
  async logOut(): Promise<void> {
    const token = this.token();
    try {
      await this.#post('/api/auth/logout', {}, token);
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500) throw error;
      // The login had ended already.
    }
    this.#tell({ type: 'out' });
    this.#leave();
    this.#options.restart();
  }

  #onMessage(message: TabMessage): void {
    if (message.type === 'token') this.#accept(message.token);
    if (message.type === 'token' || this.state.get().phase === 'out') return;
    this.#leave();
    this.#options.restart();
  }

  #tell(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }

  #accept(token: Token): void {
    const next = memberOf(token.text);
    const before = this.state.get();
    this.#token = token;
    this.#remember(true);
    this.#schedule();
    const isOther = (before.phase === 'in' || before.phase === 'expired') && before.member_id !== next.member_id;
    const isSame = before.phase === 'in' && before.role === next.role;
    if (isOther) this.#options.restart();
    else if (!isSame) this.state.set({ phase: 'in', ...next });
  }

  /** Forgets the login. */
  #leave(): void {
    this.#token = undefined;
    clearTimeout(this.#timer);
    this.#remember(false);
    this.state.set({ phase: 'out' });
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#token === undefined) return;
    const wait = Math.max(0, this.#token.renew_at - Date.now());
    this.#timer = setTimeout(() => this.#renewInBackground(), Math.min(wait, max_timer_ms));
  }

  #renewInBackground(): void {
    this.renew().catch(() => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#renewInBackground(), retry_ms);
    });
  }

  /** Renews the token unless another tab has done so; undefined if the server refuses. */
  async #renewOnce(refused: Token | undefined): Promise<string | undefined> {
    const asked_at = performance.now();
    return this.#alone(async () => {
      // Another tab had the lock: its message may arrive just after it.
      if (performance.now() - asked_at > 20) await new Promise((resolve) => setTimeout(resolve, 30));
      const present = this.#token;
      if (present !== undefined && present !== refused && this.token() !== undefined) return present.text;
      const token = await this.#refresh();
      if (token === undefined) return undefined;
      this.#accept(token);
      this.#tell({ type: 'token', token });
      return token.text;
    });
  }

  async #refresh(): Promise<Token | undefined> {
    try {
      return tokenFrom(await this.#post('/api/auth/refresh', {}));
    } catch (error) {
      if (error instanceof Failure && refusals.includes(error.code)) return undefined;
      throw error;
    }
  }

  /** Waits until the member has logged in again; the log-in view appears over the page. */
  async #loggedInAgain(): Promise<string | undefined> {
    const state = this.state.get();
    if (state.phase === 'in') this.state.set({ ...state, phase: 'expired' });
    if (this.state.get().phase !== 'expired') return undefined;
    await new Promise<void>((resolve) => {
      const stop = this.state.watch(() => {
        if (this.state.get().phase === 'expired') return;
        stop();
        resolve();
      });
    });
    return this.token();
  }

  /** Runs a function while no other tab does. Browsers have locks only on https and localhost; elsewhere the server allows for two at once. */
  async #alone<T>(run: () => Promise<T>): Promise<T> {
    if (!('locks' in navigator)) return run();
    let isRunning = false;
    const once = () => {
      isRunning = true;
      return run();
    };
    try {
      return (await navigator.locks.request(this.#name('renewal'), once)) as T;
    } catch (error) {
      // A browser that forbids storage refuses locks, too.
      if (isRunning) throw error;
      return run();
    }
  }

  #post(path: string, body: object, token?: string): Promise<unknown> {
    return this.#send(path, { body, token });
  }

  async #send(path: string, { body, token }: { body?: object | undefined; token?: string | undefined }): Promise<unknown> {
    const response = await fetch(this.#options.prefix + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(request_ms),
    }).catch((cause: unknown) => {
      throw new Failure('unreachable', `${location.origin} can't be reached`, { status: 503, cause });
    });
    const answer = (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined;
    // A page of a proxy or of a network's log-in isn't the platform's answer.
    if (answer === undefined && response.status !== 204)
      throw new Failure('unreachable', `${location.origin} can't be reached: something else answered`, { status: 503 });
    if (response.ok) return answer;
    throw failureFrom(answer ?? {}, response);
  }

  #name(what: string): string {
    return `platform${this.#options.prefix}:${what}`;
  }

  #isRemembered(): boolean {
    try {
      return localStorage.getItem(this.#name('logged-in')) !== null;
    } catch {
      return true;
    }
  }

  #remember(is: boolean): void {
    try {
      if (is) localStorage.setItem(this.#name('logged-in'), '1');
      else localStorage.removeItem(this.#name('logged-in'));
    } catch {
      // Without storage each visit asks the server.
    }
  }
}

function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    // An old browser, or one that forbids storage: each tab is on its own.
    return undefined;
  }
}

function tokenFrom(answer: unknown): Token {
  const { access_token, expires_in } = answer as { access_token: string; expires_in: number };
  const lifetime_ms = expires_in * 1_000;
  const lead_ms = Math.min(longest_lead_ms, lifetime_ms / 5);
  const expires_at = Date.now() + lifetime_ms;
  // Tabs differ a little, so that the first one renews for all.
  return { text: access_token, expires_at, renew_at: expires_at - lead_ms * (0.5 + Math.random() / 2) };
}

/** Reads the member from an access token (RFC 7519). */
function memberOf(token: string): LoggedIn {
  const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const { sub, role } = JSON.parse(atob(payload)) as { sub: string | number; role: Role };
  return { member_id: Number(sub), role };
}

function failureFrom({ code, message, details, request_id }: Record<string, unknown>, { status, headers }: Response): Failure {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new Failure(typeof code === 'string' ? code : 'unexpected_answer', typeof message === 'string' ? message : `Status ${status}`, {
    status,
    details: details as readonly Fault[] | undefined,
    retry_after: Number.isInteger(seconds) ? seconds : undefined,
    cause: { request_id },
  });
}
