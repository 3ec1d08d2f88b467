/** Returns the address of a link if it may be followed: http(s), mailto, or a path of the app; empty otherwise. */
export function linkAddress(address: string): string {
  return /^(?:https?:\/\/|mailto:)/i.test(address) || isOwnPath(address) ? address : '';
}

/** Returns whether an address is a path of the app. `//host` and `/\host` name another one, also with tabs between (WHATWG URL). */
export function isOwnPath(address: string): boolean {
  return /^\/(?![/\\])/.test(address.replaceAll(/[\t\r\n]/g, '')) && isDecodable(address);
}

/** Returns whether the escapes of an address are whole. The router would fail on others, and the app with it. */
export function isDecodable(address: string): boolean {
  try {
    decodeURI(address);
    return true;
  } catch {
    return false;
  }
}
