import type { HttpRequest } from '../../../extensions/schedules/contract.js';

/** A body given to `http.request`, and what is sent. */
export interface BodyCase {
  name: string;
  source: string;
  given: Pick<HttpRequest, 'body' | 'headers'>;
  type: string | undefined;
  body: string;
}

const rfc = 'RFC 8259, section 11';
const json = 'application/json';

export const bodyCases: readonly BodyCase[] = [
  { name: 'a JSON object', source: rfc, given: { body: { text: 'hi', to: [1] } }, type: json, body: '{"text":"hi","to":[1]}' },
  { name: 'a JSON array', source: rfc, given: { body: [1, 'two'] }, type: json, body: '[1,"two"]' },
  { name: 'an object written as text', source: rfc, given: { body: ' {"a": 1}' }, type: json, body: ' {"a": 1}' },
  { name: 'an array written as text', source: rfc, given: { body: '[1]' }, type: json, body: '[1]' },
  { name: 'a number', source: rfc, given: { body: 7.5 }, type: json, body: '7.5' },
  { name: 'a boolean', source: rfc, given: { body: false }, type: json, body: 'false' },
  { name: 'text', source: 'Fetch Standard, extract a body', given: { body: 'hello' }, type: 'text/plain;charset=UTF-8', body: 'hello' },
  { name: 'a number written as text is text', source: 'Fetch Standard', given: { body: '7' }, type: 'text/plain;charset=UTF-8', body: '7' },
  {
    name: 'text that only begins like JSON',
    source: 'Fetch Standard',
    given: { body: '{oops' },
    type: 'text/plain;charset=UTF-8',
    body: '{oops',
  },
  {
    name: 'a content type set by a header stays, whatever its case',
    source: 'RFC 9110, section 5.1',
    given: { body: { a: 1 }, headers: { 'CONTENT-TYPE': 'application/vnd.api+json' } },
    type: 'application/vnd.api+json',
    body: '{"a":1}',
  },
  {
    name: 'a form body keeps its content type',
    source: 'RFC 9110, section 5.1',
    given: { body: '[1]=2', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    type: 'application/x-www-form-urlencoded',
    body: '[1]=2',
  },
  { name: 'no body', source: 'RFC 9110, section 8.6', given: {}, type: undefined, body: '' },
  { name: 'an empty text sends no body', source: 'RFC 9110, section 8.6', given: { body: '' }, type: undefined, body: '' },
];
