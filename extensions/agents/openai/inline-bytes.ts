/** Matches base64 of either alphabet (RFC 4648, 4 and 5). */
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Decodes base64. Ignores line breaks, which MIME encoders add, and percent-encoding, which URL libraries add. Returns undefined if it is none. */
export function bytesOf(data: string): Buffer | undefined {
  const decoded = data.replace(/%(2B|2F|3D|0D|0A|20)/gi, (code) => decodeURIComponent(code)).replace(/\s+/g, '');
  return base64.test(decoded) ? Buffer.from(decoded, 'base64') : undefined;
}
