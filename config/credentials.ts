/** Placeholder for a secret in everything that a person sees. */
export const masked = '********';

/**
 * Masks the parts of an address that may be secret: password and query, and a user name without a password, because tokens
 * are passed that way (`https://<token>@host`). Removes the fragment. Other values stay as they are.
 */
export function withoutCredentials<Value>(value: Value): Value | string {
  if (typeof value !== 'string' || !/^[\w+.-]+:\/\//.test(value) || !URL.canParse(value)) return value;
  const url = new URL(value);
  const isToken = /^https?:$/.test(url.protocol) && url.password === '';
  const hasSecret = url.password !== '' || (isToken && url.username !== '') || url.search !== '' || url.hash !== '';
  if (!hasSecret) return value;
  if (url.password !== '') url.password = masked;
  if (isToken && url.username !== '') url.username = masked;
  if (url.search !== '') url.search = masked;
  url.hash = '';
  return url.href;
}
