/** Replaces a secret wherever a person sees it. */
export const masked = '********';

/**
 * Masks what may be secret in an address: its password, query and fragment, and a user name alone where tokens
 * are given that way (`https://<token>@host`). Other values stay as they are.
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
