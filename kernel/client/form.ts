import { text } from './route.js';

/** The file of an upload, under the key `file` of its input. */
export interface Upload {
  name: string;
  bytes: Uint8Array;
}

/** A browser's `File`. */
export interface NamedBlob extends Blob {
  readonly name: string;
}

/** Returns the form of an input with a file; `name` is the file's field name. */
export function formOf(input: Record<string, unknown>, name: string): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(input)) {
    if (key === 'file') appendFile(form, name, value as Upload | NamedBlob);
    else if (value !== undefined && value !== null) form.append(key, text(value));
  }
  return form;
}

/** Encodes an input with a file as multipart/form-data. */
export async function encodeForm(
  input: Record<string, unknown>,
  name: string,
): Promise<{ body: Uint8Array; headers: Record<string, string> }> {
  const encoded = new Response(formOf(input, name));
  const body = new Uint8Array(await encoded.arrayBuffer());
  return { body, headers: { 'content-type': encoded.headers.get('content-type') ?? '', 'content-length': String(body.length) } };
}

function appendFile(form: FormData, field: string, file: Upload | NamedBlob): void {
  const content = file instanceof Blob ? file : new Blob([file.bytes as Uint8Array<ArrayBuffer>]);
  form.append(field, content, file.name.replace(/^.*[\\/]/s, ''));
}
