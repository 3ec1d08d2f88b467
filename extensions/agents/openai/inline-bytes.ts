/** Bytes that a client sends within a request. */
export interface InlineBytes {
  /** Media type of the data URL in lower case; empty if it names none. */
  mime_type: string;
  bytes: Buffer;
}

/** Matches the head of a data URL (RFC 2397), with parameters such as a name. */
const dataUrlHead = /^\s*data:([\w.+-]{1,60}\/[\w.+-]{1,100})?(?:;[^;,]{1,200}){0,4};base64,/i;
/** Matches base64 of either alphabet (RFC 4648, 4 and 5). */
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Decodes a data URL in base64, or base64 alone. Ignores line breaks, which MIME encoders add, and percent-encoding, which URL libraries add.
 * Returns undefined for anything else.
 */
export function inlineBytes(data: string): InlineBytes | undefined {
  const [head = '', mime_type = ''] = dataUrlHead.exec(data) ?? [];
  const body = data.slice(head.length).replace(/%(2B|2F|3D|0D|0A|20)/gi, (code) => decodeURIComponent(code));
  const digits = body.replace(/\s+/g, '');
  return base64.test(digits) ? { mime_type: mime_type.toLowerCase(), bytes: Buffer.from(digits, 'base64') } : undefined;
}
