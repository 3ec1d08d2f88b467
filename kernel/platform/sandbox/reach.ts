const usualPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Whether a granted host covers an address. `example.org` is that name alone, `*.example.org` any below it and not
 * itself; without a port only the scheme's own is meant, `:*` is any. Case and the dot at a name's end don't matter.
 */
export function reachable(granted: string, { protocol, hostname, port }: URL): boolean {
  const { host, port: wanted } = split(granted.trim().toLowerCase());
  const usual = usualPorts[protocol];
  if (usual === undefined || (wanted !== '*' && (port || usual) !== (wanted ?? usual))) return false;
  const name = hostname.replace(/\.$/, '');
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) && name.length > host.length - 1 : name === host;
}

/** `host:port`; an IPv6 address stands in brackets, as in a URL. */
function split(text: string): { host: string; port: string | undefined } {
  const { host = text, port } = /^(?<host>\[[^\]]+\]|[^:]+)(?::(?<port>\d{1,5}|\*))?$/.exec(text)?.groups ?? {};
  return { host, port };
}
