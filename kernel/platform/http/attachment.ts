/**
 * Returns the header by which a browser saves an answer under a name instead of showing it (RFC 6266). Clients that don't know the encoded
 * form get the name in ASCII.
 */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7E]|["%\\]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encode(name)}`;
}

/** Encodes a value of an extended parameter (RFC 8187), which allows fewer characters than an address. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/['()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
