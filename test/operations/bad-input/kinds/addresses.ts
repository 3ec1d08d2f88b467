import { type Kind, kind } from '../kind.js';
import type { Subject } from '../subject.js';
import type { Message, Parts } from '../wire.js';

/** The first segment of a path. */
const first = /^\/[^/]+/;

/** Requests whose method or address is wrong. */
export const addressKinds: readonly Kind[] = [
  ...['PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'].map((method) => kind(`the method ${method}`, 'method_not_allowed', withMethod(method))),
  kind('a method that is none', 'malformed_request', withMethod('FETCH')),
  kind('a method in lower case', 'malformed_request', (subject) => ({
    ...subject.parts(),
    method: subject.operation.method.toLowerCase(),
  })),
  kind('a tunnel', 'method_not_allowed', () => line('CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: 127.0.0.1:22')),
  kind('an address that ends in bytes that are no text', 'malformed_request', atPath('/%ff')),
  kind('an address with half of a pair', 'malformed_request', atPath('/%ed%a0%80')),
  kind('an address with a NUL', 'malformed_request', atPath('%00')),
  kind('an address with an unfinished encoding', 'malformed_request', atPath('/%4')),
  kind('an address with an encoding that is none', 'malformed_request', atPath('/%zz')),
  kind('a blank in the address', 'malformed_request', atPath('/a b')),
  kind('an address that goes on', 'not_found', atPath('/x/x/x')),
  kind('an address that goes up and out', 'not_found', atPath('/%2e%2e/%2E%2e/../../../../../../../../etc/passwd')),
  kind('an address with encoded slashes', 'not_found', (subject) =>
    changed(subject, (path) => path.replaceAll('/', '%2f').replace('%2f', '/')),
  ),
  kind('an address with backslashes', 'not_found', (subject) => changed(subject, (path) => path.replaceAll('/', '\\').replace('\\', '/'))),
  kind('an address with doubled slashes', 'not_found', (subject) => changed(subject, (path) => path.replaceAll('/', '//'))),
  kind('an address with a parameter in a segment', 'not_found', (subject) =>
    changed(subject, (path) => path.replace(first, (segment) => `${segment};v=1`)),
  ),
  kind('an address in capital letters', 'not_found', (subject) =>
    changed(subject, (path) => path.replace(first, (segment) => segment.toUpperCase())),
  ),
  kind('a segment of 8,000 characters', 'not_found', (subject) => changed(subject, (path) => `/${'x'.repeat(8_000)}${path}`)),
  kind('an address of 20,000 characters', 'header_too_large', atPath(`/${'x'.repeat(20_000)}`)),
  kind('a query of bytes that are no text', 'malformed_request', withQuery('x=%ff')),
  kind('a query with a NUL', 'malformed_request', withQuery('x=%00')),
  kind('a query with an unfinished encoding', 'malformed_request', withQuery('x=%')),
  kind('a query of 20,000 characters', 'header_too_large', withQuery(`x=${'x'.repeat(20_000)}`)),
  kind('an address of another protocol', 'malformed_request', (subject) => changed(subject, (path) => `ftp://127.0.0.1${path}`)),
  kind('an address without its slash', 'malformed_request', (subject) => changed(subject, (path) => path.slice(1))),
  kind('an asterisk for an address', 'malformed_request', (subject) => changed(subject, () => '*')),
  kind('an absolute address that is none', 'malformed_request', (subject) => changed(subject, (path) => `http://[${path}`)),
  kind('an absolute address of nothing', 'not_found', (subject) => changed(subject, () => 'http://127.0.0.1/nothing')),
];

function line(head: string): Message {
  return { bytes: Buffer.from(`${head}\r\n\r\n`) };
}

function withMethod(method: string): (subject: Subject) => Parts {
  return (subject) => ({ ...subject.parts(), method });
}

/** Changes the path, where there is something to change, and leaves the query. */
function changed(subject: Subject, change: (path: string) => string): Parts | undefined {
  const parts = subject.parts();
  const [path = '', ...query] = parts.target.split('?');
  const target = [change(path), ...query].join('?');
  return target === parts.target ? undefined : { ...parts, target };
}

function atPath(text: string): (subject: Subject) => Parts | undefined {
  return (subject) => changed(subject, (path) => `${path}${text}`);
}

function withQuery(text: string): (subject: Subject) => Parts {
  return (subject) => {
    const parts = subject.parts();
    return { ...parts, target: `${parts.target}${parts.target.includes('?') ? '&' : '?'}${text}` };
  };
}
