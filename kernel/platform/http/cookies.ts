import assert from 'node:assert/strict';
import type { Request } from '@hapi/hapi';
import type { CallCookies, Cookie, Operation } from '../../contract/operation.js';
import type { Incoming, Outgoing } from './incoming.js';
import { OwnPages } from './own-pages.js';

type Declared = NonNullable<Operation['cookies']>;

const max_length = 4_096;

/** Reads and sets the cookies of operations. */
export class Cookies {
  readonly #pages: OwnPages;
  /** Path prefix of the platform behind a proxy, without a slash at its end; empty without one. */
  readonly prefix: string;

  constructor(base_url: string | undefined) {
    this.#pages = new OwnPages(base_url);
    this.prefix = base_url === undefined ? '' : new URL(base_url).pathname.replace(/\/+$/, '');
  }

  /** Returns the cookies of one request; undefined for an operation without cookies. */
  of({ cookies }: Operation, { raw }: Request): RequestCookies | undefined {
    return cookies && new RequestCookies(cookies, raw.req as Incoming, { pages: this.#pages, prefix: this.prefix });
  }

  /** Returns the cookie that identifies the caller of a request without a token, if there is one. Fails with `origin_refused`. */
  identifying(operation: Operation, request: Request): string | undefined {
    const [key] = Object.entries(operation.cookies ?? {}).find(([, { identifies }]) => identifies) ?? [];
    return key === undefined ? undefined : this.of(operation, request)?.read(key);
  }
}

/** The cookies of one request and its answer. */
export class RequestCookies implements CallCookies {
  readonly #declared: Declared;
  readonly #req: Incoming;
  readonly #pages: OwnPages;
  readonly #prefix: string;
  readonly #changes = new Map<string, string>();

  constructor(declared: Declared, req: Incoming, { pages, prefix }: { pages: OwnPages; prefix: string }) {
    this.#declared = declared;
    this.#req = req;
    this.#pages = pages;
    this.#prefix = prefix;
  }

  get isOwnPage(): boolean {
    return this.#pages.refusal(this.#req) === undefined;
  }

  assertOwnPage(): void {
    const refusal = this.#pages.refusal(this.#req);
    if (refusal) throw refusal;
  }

  read(key: string): string | undefined {
    const cookie = this.#find(key);
    const values = valuesOf(this.#nameOf(cookie), this.#req.headers.cookie);
    if (cookie.guarded && values.size > 0) this.assertOwnPage();
    // A guarded cookie that another host of the domain has set beside ours can't be told apart from it (RFC 6265, 8.6).
    const [value, ...others] = values;
    return value === undefined || value.length > max_length || (cookie.guarded && others.length > 0) ? undefined : value;
  }

  set(key: string, value: string): void {
    assert(/^[\w.-]+$/.test(value) && value.length <= max_length, 'A cookie may contain only letters, digits and -_.');
    this.#change(key, value, this.#find(key).max_age_s);
  }

  remove(key: string): void {
    this.#change(key, '', 0);
  }

  /** Sets the changed cookies on the answer. One header has all: writeHead with a list drops duplicates on some versions of Node. */
  writeTo(res: Outgoing): void {
    if (this.#changes.size > 0) res.setHeader('set-cookie', [...this.#changes.values()]);
  }

  /** Stores a change. Scripts can't read the cookie, and only pages of the same site send it. */
  #change(key: string, value: string, max_age_s: number): void {
    const cookie = this.#find(key);
    if (cookie.guarded) this.assertOwnPage();
    const secure = this.#pages.isSecure(this.#req) ? '; Secure' : '';
    const attributes = `Path=${this.#prefix}${cookie.path}; Max-Age=${max_age_s}; HttpOnly; SameSite=Strict${secure}`;
    this.#changes.set(key, `${this.#nameOf(cookie)}=${value}; ${attributes}`);
  }

  #find(key: string): Cookie {
    const cookie = this.#declared[key];
    assert(cookie, `The operation declares no cookie '${key}'`);
    return cookie;
  }

  /**
   * Returns the name under which browsers store a cookie. With the prefix they accept it over https only. `__Host-` would also keep out
   * other hosts of the domain, but it requires the path `/`, so that every request would carry the cookie.
   */
  #nameOf({ name, guarded }: Cookie): string {
    return guarded && this.#pages.isSecure(this.#req) ? `__Secure-${name}` : name;
  }
}

/** Returns the different values of a cookie (RFC 6265, 5.4). */
function valuesOf(name: string, header = ''): Set<string> {
  const pairs = header.split(';').map((pair) => pair.trim());
  return new Set(pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1)));
}
