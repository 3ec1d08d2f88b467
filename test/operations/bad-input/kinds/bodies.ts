import { gzipSync } from 'node:zlib';
import { type Kind, kind, withHeaders } from '../kind.js';
import type { Subject } from '../subject.js';
import { type Message, type Parts, render } from '../wire.js';

const notJson: Readonly<Record<string, string>> = {
  'unfinished JSON': '{"name": "x"',
  'JSON in single quotes': "{'name': 'x'}",
  'JSON with more JSON behind it': '{} {}',
  'a form': 'name=x&password=y',
  'four NULs': '\0\0\0\0',
  'a blank': ' ',
  'a list': '[]',
  'a list of objects': '[{"name": "x"}]',
  'a text': '"name"',
  'a number': '5',
  'a number that is none': 'NaN',
  'a truth value': 'true',
  null: 'null',
  'a key __proto__': '{"__proto__": {"role": "admin"}}',
  'a key __proto__ further in': '{"x": [{"__proto__": null}]}',
  'a NUL in a text': '{"x": "a\\u0000b"}',
  'a NUL in a list': '{"x": ["\\u0000"]}',
  'a NUL in a key': '{"a\\u0000b": 1}',
  'half of a pair in a text': '{"x": "\\ud800"}',
  'half of a pair in a key': '{"\\udfff": 1}',
  '100,000 open brackets': '['.repeat(100_000),
  '10,000 levels of lists': `{"x": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  '1,000 levels of objects': `${'{"x":'.repeat(1_000)}1${'}'.repeat(1_000)}`,
};

const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/xml', 'nonsense', ''];

/** Requests whose body is no JSON object, or not what its headers say. Only `POST` and `PUT` have one. */
export const bodyKinds: readonly Kind[] = [
  ...Object.entries(notJson).map(([name, body]) => spoilt(`for a body ${name}`, 'malformed_request', (parts) => ({ ...parts, body }))),
  spoilt('for a body bytes that are no text', 'malformed_request', (parts) => ({
    ...parts,
    body: Buffer.from('{"x": "\xff\xfe"}', 'latin1'),
  })),
  spoilt('for a body JSON in UTF-16', 'malformed_request', (parts) => ({ ...parts, body: Buffer.from('{"x": "y"}', 'utf16le') })),
  ...types.map((type) =>
    spoilt(`a body of the type '${type}'`, 'unsupported_media_type', (parts) =>
      withHeaders({ ...parts, body: '{}' }, { 'content-type': type }),
    ),
  ),
  spoilt('a compressed body', 'unsupported_media_type', (parts) => {
    return withHeaders({ ...parts, body: gzipSync('{}') }, { 'content-encoding': 'gzip' });
  }),
  spoilt('a body that is said to be too large', 'payload_too_large', (parts, limit) =>
    withHeaders(parts, { 'content-length': String(limit + 1) }),
  ),
  spoilt('a body that is too large', 'payload_too_large', (parts, limit) => ({ ...parts, body: `{"x": "${'x'.repeat(limit)}"}` })),
  spoilt('chunks that are too large together', 'payload_too_large', (parts, limit) => {
    return chunked(parts, `${limit.toString(16)}\r\n${' '.repeat(limit)}\r\n2\r\n{}\r\n0\r\n\r\n`);
  }),
  spoilt('a body longer than it is said to be', 'malformed_request', (parts) => {
    return withHeaders({ ...parts, body: '{"x": "a long text"}' }, { 'content-length': '8' });
  }),
];

/** Requests whose body breaks off, or down. */
export const framingKinds: readonly Kind[] = [
  framed('a chunk whose size is no number', (parts) => chunked(parts, 'zz\r\n{}\r\n0\r\n\r\n')),
  framed('a chunk longer than its size', (parts) => chunked(parts, '1\r\n{}}}}}\r\n')),
  framed('a chunk with a long remark', (parts) => chunked(parts, `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)),
  framed('chunks that end too soon', (parts) => ({ ...render(chunked(parts, '5\r\n{}')), ends: true })),
  framed('a body that ends too soon', (parts) => {
    return { ...render(withHeaders({ ...parts, body: '{"x": 1}' }, { 'content-length': '100' })), ends: true };
  }),
];

const default_bytes = 1024 * 1024;

/** Spoils the body of the good request, given how large it may be. */
function spoilt(name: string, code: string, spoil: (parts: Parts, limit: number) => Parts | Message): Kind {
  const make = (subject: Subject) => {
    return subject.takesJson ? spoil(subject.parts(), subject.operation.max_bytes ?? default_bytes) : undefined;
  };
  return kind(name, code, make);
}

/** A request that only reads may be answered before. */
function framed(name: string, spoil: (parts: Parts) => Parts | Message): Kind {
  return kind(name, 'malformed_request', (subject) => (subject.operation.method === 'GET' ? undefined : spoil(subject.parts())));
}

function chunked(parts: Parts, body: string): Parts {
  return withHeaders({ ...parts, body }, { 'transfer-encoding': 'chunked' });
}
