import { type Kind, kind, withHeaders } from '../kind.js';
import type { Subject } from '../subject.js';
import { type Message, type Parts, render } from '../wire.js';

/** Requests whose head is wrong or is no HTTP at all. */
export const headKinds: readonly Kind[] = [
  kind('no Host', 'malformed_request', withHeader('host', undefined)),
  kind('a Host that is none', 'malformed_request', withHeader('host', 'a b/c')),
  kind('a Host with an unclosed bracket', 'malformed_request', withHeader('host', '[::1')),
  kind('two Hosts', 'malformed_request', withLine('Host: elsewhere')),
  kind('a header without a colon', 'malformed_request', withLine('nonsense')),
  kind('a header without a name', 'malformed_request', withLine(': x')),
  kind('a blank before the colon', 'malformed_request', withLine('X-Blank : x')),
  kind('a header with a NUL', 'malformed_request', withLine('X-Nul: a\0b')),
  kind('a header with a carriage return', 'malformed_request', withLine('X-Return: a\rb')),
  kind('a header of 20,000 characters', 'header_too_large', withHeader('x-long', 'x'.repeat(20_000))),
  kind('3,000 headers', 'header_too_large', withLine(Array.from({ length: 3_000 }, (_, n) => `X-${n}: ${n}`).join('\r\n'))),
  kind('headers of a mebibyte', 'header_too_large', withHeader('x-long', 'x'.repeat(1024 * 1024))),
  kind('an unknown expectation', 'malformed_request', withHeader('expect', 'the-unexpected')),
  kind('a WebSocket where none is', 'not_found', withAll({ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' })),
  kind('a version of HTTP that is none', 'malformed_request', (subject) => ({ ...subject.parts(), version: 'HTTP/9.9' })),
  kind('a version of HTTP to come', 'malformed_request', (subject) => ({ ...subject.parts(), version: 'HTTP/2.0' })),
  kind('no version of HTTP', 'malformed_request', ({ operation }) => bytes(`GET ${operation.path}\r\n\r\n`)),
  kind('the start of HTTP/2', 'malformed_request', () => bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
  kind('the start of TLS', 'malformed_request', () => ({ bytes: Buffer.from('16030100a5010000a10303', 'hex') })),
  kind('a length that is no number', 'malformed_request', withHeader('content-length', 'long')),
  kind('a length below nothing', 'malformed_request', withHeader('content-length', '-1')),
  kind('two lengths', 'malformed_request', withLine('Content-Length: 0\r\nContent-Length: 5')),
  kind('a length beside chunks', 'malformed_request', withLine('Transfer-Encoding: chunked\r\nContent-Length: 5')),
  kind('an encoding of transfer that is none', 'malformed_request', withHeader('transfer-encoding', 'gzip')),
  kind('nonsense behind a whole request', 'method_not_allowed', (subject) => {
    const { bytes: whole } = render({ ...subject.parts(), method: 'PATCH' });
    return { bytes: Buffer.concat([whole, Buffer.from('nonsense\r\n\r\n')]) };
  }),
];

/** Headers that only operations look at. */
export const keyKinds: readonly Kind[] = [
  kind('an Idempotency-Key with a blank', 'malformed_request', withHeader('idempotency-key', 'a b')),
  kind('an Idempotency-Key of 201 characters', 'malformed_request', withHeader('idempotency-key', 'k'.repeat(201))),
  kind('an empty Idempotency-Key', 'malformed_request', withHeader('idempotency-key', '')),
];

function bytes(text: string): Message {
  return { bytes: Buffer.from(text) };
}

function withHeader(name: string, value: string | undefined): (subject: Subject) => Parts {
  return (subject) => withHeaders(subject.parts(), { [name]: value });
}

function withAll(headers: Readonly<Record<string, string>>): (subject: Subject) => Parts {
  return (subject) => withHeaders(subject.parts(), headers);
}

/** The good request with another line in its head. */
function withLine(text: string): (subject: Subject) => Message {
  return (subject) => {
    const { bytes: good } = render(subject.parts());
    const end = good.indexOf('\r\n\r\n');
    return { bytes: Buffer.concat([good.subarray(0, end), Buffer.from(`\r\n${text}`, 'latin1'), good.subarray(end)]) };
  };
}
