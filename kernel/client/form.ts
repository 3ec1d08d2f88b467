import { basename } from 'node:path';
import { text } from './route.js';

/** The file of an upload, under the key `file` of its input. */
export interface Upload {
  name: string;
  bytes: Uint8Array;
}

/** Encodes an input with a file as multipart/form-data; `name` is the file's field name. */
export async function encodeForm(
  input: Record<string, unknown>,
  name: string,
): Promise<{ body: Uint8Array; headers: Record<string, string> }> {
  const form = new FormData();
  for (const [key, value] of Object.entries(input)) {
    if (key === 'file') form.append(name, ...partOf(value as Upload));
    else if (value !== undefined && value !== null) form.append(key, text(value));
  }
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  return { body, headers: { 'content-type': encoded.headers.get('content-type') ?? '', 'content-length': String(body.length) } };
}

function partOf({ name, bytes }: Upload): [Blob, string] {
  return [new Blob([bytes]), basename(name)];
}
