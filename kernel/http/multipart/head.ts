import { malformed } from './malformed.js';

/** What a part says of itself. */
export interface PartHead {
  name: string;
  /** Of a file, as its sender calls it; undefined of a field. */
  filename: string | undefined;
}

const dispositionShape = /^form-data\s*(?:;|$)/i;
const parameterShape = /;\s*([^\s=;*]+)(\*?)\s*=\s*(?:"([^"]*)"|([^;\s]*))/g;
/** How a part may travel: as it is. Other encodings are not to be used (RFC 7578, 4.7). */
const asItIs = /^(?:7bit|8bit|binary)$/i;

/**
 * Reads the header lines of a part of multipart/form-data (RFC 7578, 4.2).
 *
 * @throws `malformed_request`
 */
export function readHead(text: string): PartHead {
  const headers = headersOf(text);
  const encoding = headers.get('content-transfer-encoding');
  if (encoding !== undefined && !asItIs.test(encoding)) throw malformed('a part is encoded in a way that is not understood');
  const disposition = headers.get('content-disposition') ?? '';
  if (!dispositionShape.test(disposition)) throw malformed('a part has no Content-Disposition');
  const parameters = parametersOf(disposition);
  const name = parameters.get('name');
  if (name === undefined || name === '' || name === '__proto__') throw malformed('a part has no name');
  return { name, filename: parameters.get('filename') };
}

function headersOf(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  // A line that begins with white space goes on with the one before it.
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon < 1) throw malformed('a header of a part has no name');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

/** A value in the extended notation (RFC 5987) wins over the plain one. */
function parametersOf(disposition: string): Map<string, string> {
  const [plain, extended] = [new Map<string, string>(), new Map<string, string>()];
  for (const [, key = '', star, quoted, token = ''] of disposition.matchAll(parameterShape)) {
    const into = star ? extended : plain;
    if (into.has(key)) throw malformed(`a part has two values for '${key.slice(0, 50)}'`);
    into.set(key, star ? decoded(token) : (quoted ?? token));
  }
  return new Map([...plain, ...extended]);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.slice(value.indexOf("'", value.indexOf("'") + 1) + 1));
  } catch {
    throw malformed('the name of a file is not encoded as it says');
  }
}
