import { request } from 'node:http';
import type { World } from './world.js';

export interface Sent {
  method?: string;
  path?: string;
  /** An array sends a header several times. */
  headers?: Readonly<Record<string, string | readonly string[]>>;
  body?: object | string;
}

export interface Reply {
  status: number;
  body: { code?: string; access_token?: string; refresh_token?: string; logged_out?: boolean; message?: string };
  /** `Set-Cookie` headers. */
  set: readonly string[];
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends a request with exactly these headers, as a browser might that a page can't control. */
export function send(url: string, { method = 'POST', path = '/api/auth/refresh', headers = {}, body }: Sent): Promise<Reply> {
  const json = typeof body === 'object' && !('content-type' in headers) ? { 'content-type': 'application/json' } : {};
  return new Promise((resolve, reject) => {
    const asked = request(url + path, { method, headers: { ...json, ...headers } as Record<string, string | string[]> }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          body: text.startsWith('{') ? (JSON.parse(text) as Reply['body']) : {},
          set: response.headers['set-cookie'] ?? [],
          headers: response.headers,
        });
      });
    });
    asked.on('error', reject);
    asked.end(typeof body === 'object' ? JSON.stringify(body) : body);
  });
}

/** Headers that a browser sends with a request of one of the platform's own pages. */
export const ownPage = (origin: string) => ({ origin, ...(origin.startsWith('https:') ? { 'sec-fetch-site': 'same-origin' } : {}) });

/** A browser with one page of the platform open. It stores cookies by name, as the latest answer sets them. */
export class Browser {
  readonly #url: string;
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor({ url }: Pick<World, 'url'>, origin = url) {
    this.#url = url;
    this.#origin = origin;
  }

  /** The `Cookie` header. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** The cookie with the refresh token; undefined while nobody is logged in. */
  get session(): string | undefined {
    return this.#cookies.get('platform_session') ?? this.#cookies.get('__Secure-platform_session');
  }

  /** Makes another browser that has the same cookies, such as another tab before the answers arrive. */
  copy(): Browser {
    const other = new Browser({ url: this.#url }, this.#origin);
    for (const [name, value] of this.#cookies) other.#cookies.set(name, value);
    return other;
  }

  async ask(path: string, { body = {}, headers = {} }: Sent = {}): Promise<Reply> {
    const cookie = this.cookie === '' ? {} : { cookie: this.cookie };
    const reply = await send(this.#url, { path, body, headers: { ...ownPage(this.#origin), ...cookie, ...headers } });
    for (const set of reply.set) this.#store(set);
    return reply;
  }

  logIn(username: string, password = `secret-${username}`): Promise<Reply> {
    return this.ask('/api/auth/login', { body: { username, password, session: 'cookie' } });
  }

  refresh(): Promise<Reply> {
    return this.ask('/api/auth/refresh');
  }

  #store(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (/; Max-Age=0(;|$)/.test(set)) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
