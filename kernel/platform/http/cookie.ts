import assert from 'node:assert/strict';
import type { Request } from '@hapi/hapi';
import type { CallCookie, Operation } from '../../contract/operation.js';

type Declared = NonNullable<Operation['cookie']>;

const max_length = 4_096;

/** An operation's cookie during one request. */
export class RequestCookie implements CallCookie {
  readonly declared: Declared;
  readonly sent: string | undefined;
  /** To be set in the answer. */
  value: string | undefined;

  constructor(declared: Declared, header: string | undefined) {
    this.declared = declared;
    this.sent = find(declared.name, header);
  }

  set(value: string): void {
    assert(/^[\w.-]+$/.test(value) && value.length <= max_length, 'A cookie has letters, digits and -_. alone');
    this.value = value;
  }
}

/** The cookie of an operation that declares one. */
export function cookieOf({ cookie }: Operation, { raw }: Request): RequestCookie | undefined {
  return cookie && new RequestCookie(cookie, raw.req.headers.cookie);
}

/** The first of that name (RFC 6265); one that is too long counts as none. */
function find(name: string, header = ''): string | undefined {
  const pair = header.split(';').find((each) => each.trimStart().startsWith(`${name}=`));
  const value = pair?.trim().slice(name.length + 1);
  return value !== undefined && value.length <= max_length ? value : undefined;
}
