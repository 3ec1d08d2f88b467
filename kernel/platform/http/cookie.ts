import assert from 'node:assert/strict';
import type { Request } from '@hapi/hapi';
import type { CallCookie, Operation } from '../../contract/operation.js';

type Declared = NonNullable<Operation['cookie']>;

const max_length = 4_096;

/** Holds an operation's cookie during one request. */
export class RequestCookie implements CallCookie {
  readonly declared: Declared;
  readonly sent: string | undefined;
  /** New value to set in the response. */
  value: string | undefined;

  constructor(declared: Declared, header: string | undefined) {
    this.declared = declared;
    this.sent = find(declared.name, header);
  }

  set(value: string): void {
    assert(/^[\w.-]+$/.test(value) && value.length <= max_length, 'A cookie may contain only letters, digits and -_.');
    this.value = value;
  }
}

/** Returns the cookie of an operation that declares one. */
export function cookieOf({ cookie }: Operation, { raw }: Request): RequestCookie | undefined {
  return cookie && new RequestCookie(cookie, raw.req.headers.cookie);
}

/** Returns the first cookie of a name (RFC 6265); ignores one that is too long. */
function find(name: string, header = ''): string | undefined {
  const pair = header.split(';').find((each) => each.trimStart().startsWith(`${name}=`));
  const value = pair?.trim().slice(name.length + 1);
  return value !== undefined && value.length <= max_length ? value : undefined;
}
