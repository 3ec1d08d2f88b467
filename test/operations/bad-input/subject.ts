import Joi from 'joi';
import { route, text } from '../../../kernel/client/route.js';
import type { OperationData } from '../../../kernel/contract/index.js';
import type { JsonSchema } from '../../../kernel/contract/schema.js';
import { schemaFromData } from '../../../kernel/core/host/joi-schema.js';
import type { Asker } from '../side.js';
import type { Parts } from './wire.js';

/** One key of an operation's input. */
export interface Field {
  key: string;
  schema: JsonSchema;
  /** `form`: a field of a multipart body, which is text. */
  place: 'path' | 'query' | 'body' | 'form';
  required: boolean;
}

type Input = Readonly<Record<string, unknown>>;

export interface SubjectData {
  id: string;
  operation: OperationData;
  /** One that succeeds, and who may give it. */
  input: Input;
  asker: Asker;
  token: string | undefined;
  host: string;
}

/** An operation with a good request for it, to be spoilt. */
export class Subject {
  readonly id: string;
  readonly operation: OperationData;
  readonly input: Input;
  readonly asker: Asker;
  readonly fields: readonly Field[];
  readonly #data: SubjectData;
  readonly #schema: Joi.Schema;

  constructor(data: SubjectData) {
    this.id = data.id;
    this.operation = data.operation;
    this.input = data.input;
    this.asker = data.asker;
    this.fields = fieldsOf(data.operation);
    this.#data = data;
    this.#schema = schemaFromData(Joi, data.operation.input);
  }

  get isPublic(): boolean {
    return this.operation.who === 'public';
  }

  /** Streams and files, which browsers ask for without headers. */
  get takesTokenInAddress(): boolean {
    return this.operation.kind === 'stream' || this.operation.kind === 'file';
  }

  /** Whether it has a body of JSON; an upload's is a form. */
  get takesJson(): boolean {
    return (this.operation.method === 'POST' || this.operation.method === 'PUT') && this.operation.kind !== 'upload';
  }

  /** Whether the schema takes an input. What the rules behind it refuse is not known here. */
  accepts(input: unknown): boolean {
    return (
      this.#schema.validate(this.operation.kind === 'upload' ? spooled(input) : input, {
        abortEarly: true,
        stripUnknown: true,
        convert: true,
      }).error === undefined
    );
  }

  /** The request for an input; without one, the good request. */
  parts(input: Input = this.input): Parts {
    const { path, body } = route(this.operation, input);
    const { token, host } = this.#data;
    const { raw } = this.operation;
    if (raw !== undefined) {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return { method: this.operation.method, target: path, headers: { host, ...authorization, 'content-type': raw }, body: 'a file' };
    }
    if (this.operation.kind === 'upload') {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return {
        method: this.operation.method,
        target: path,
        headers: { host, ...authorization, 'content-type': form_type },
        body: formOf(body ?? {}),
      };
    }
    const headers = {
      host,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    return { method: this.operation.method, target: path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  }
}

const boundary = '------------------------a-boundary';
const form_type = `multipart/form-data; boundary=${boundary}`;

/** A multipart body, each of several values in a part of its own. */
function formOf({ file, ...fields }: Record<string, unknown>): Buffer {
  const part = (disposition: string, content: Uint8Array) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ];
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((one) => part(`name="${name}"`, Buffer.from(text(one)))),
  );
  const { name, bytes } = file as { name: string; bytes: Uint8Array };
  return Buffer.concat([...texts, ...part(`name="file"; filename="${name}"`, bytes), Buffer.from(`--${boundary}--\r\n`)]);
}

/** An upload's file as its handler gets it. */
function spooled(input: unknown): unknown {
  const { file } = (input ?? {}) as { file?: { bytes?: unknown } };
  return file?.bytes instanceof Uint8Array
    ? { ...(input as object), file: { filename: 'file', path: '/file', bytes: file.bytes.length } }
    : input;
}

function fieldsOf({ input, path, method, query = [], kind }: OperationData): Field[] {
  const { properties: { file, ...others } = {}, required = [] } = input as JsonSchema;
  // A file has no form that could be spoilt.
  const properties = kind !== 'upload' && file ? { ...others, file } : others;
  const placeOf = (key: string) => {
    if (path.includes(`{${key}}`)) return 'path';
    if (method === 'GET' || method === 'DELETE' || query.includes(key)) return 'query';
    return kind === 'upload' ? 'form' : 'body';
  };
  return Object.entries(properties).map(([key, schema]) => ({ key, schema, place: placeOf(key), required: required.includes(key) }));
}
