import { basename } from 'node:path';

/** A file to send: its bytes, and perhaps its name. */
export interface Upload {
  bytes: Uint8Array;
  name?: string;
}

/** An input with a file as multipart/form-data. The file's key holds bytes or an {@link Upload}. */
export async function encodeForm(
  input: Record<string, unknown>,
  file: string,
): Promise<{ body: Uint8Array; headers: Record<string, string> }> {
  const form = new FormData();
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || value === null) continue;
    if (key === file) appendFile(form, key, value as Uint8Array | Upload);
    else form.append(key, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  return { body, headers: { 'content-type': encoded.headers.get('content-type') ?? '', 'content-length': String(body.length) } };
}

function appendFile(form: FormData, key: string, value: Uint8Array | Upload): void {
  const { bytes, name = key } = value instanceof Uint8Array ? { bytes: value } : value;
  form.append(key, new Blob([bytes]), basename(name));
}
