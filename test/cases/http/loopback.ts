/** A request for `/metrics` without a token, from this machine. */
export interface LoopbackCase {
  name: string;
  source: string;
  /** `{port}` stands for the server's. */
  headers: Readonly<Record<string, string>>;
  status: 200 | 401;
}

const rebinding = 'CWE-350: a name that was rebound to this machine (DNS rebinding)';
const fetchMetadata = 'W3C Fetch Metadata Request Headers';
const rfc7239 = 'RFC 7239';

export const loopbackCases: readonly LoopbackCase[] = [
  {
    name: 'a collector that requests the loopback address is served',
    source: 'Prometheus: static_configs',
    headers: { host: '127.0.0.1:{port}' },
    status: 200,
  },
  {
    name: 'a collector that requests localhost is served',
    source: 'Prometheus: static_configs',
    headers: { host: 'LOCALHOST:{port}' },
    status: 200,
  },
  { name: 'the IPv6 loopback is served', source: 'RFC 3986, 3.2.2', headers: { host: '[::1]:{port}' }, status: 200 },
  { name: 'a Host without a port is served', source: 'RFC 9110, 7.2', headers: { host: 'localhost' }, status: 200 },
  {
    name: 'a page of the platform itself is served',
    source: 'Fetch: Origin',
    headers: { host: 'localhost:{port}', origin: 'http://localhost:{port}' },
    status: 200,
  },
  { name: 'a foreign Host is refused', source: rebinding, headers: { host: 'evil.example' }, status: 401 },
  { name: 'a foreign Host with the right port is refused', source: rebinding, headers: { host: 'evil.example:{port}' }, status: 401 },
  { name: 'a name that only begins like loopback is refused', source: rebinding, headers: { host: 'localhost.evil.example' }, status: 401 },
  { name: 'a name that begins with a loopback address is refused', source: rebinding, headers: { host: '127.0.0.1.nip.io' }, status: 401 },
  {
    name: 'the address of all interfaces is refused',
    source: 'the 0.0.0.0 day of browsers (Oligo Security, 2024)',
    headers: { host: '0.0.0.0:{port}' },
    status: 401,
  },
  {
    name: 'a foreign Origin is refused',
    source: rebinding,
    headers: { host: '127.0.0.1:{port}', origin: 'https://evil.example' },
    status: 401,
  },
  {
    name: 'the Origin of a sandboxed page is refused',
    source: 'HTML: opaque origins',
    headers: { host: '127.0.0.1:{port}', origin: 'null' },
    status: 401,
  },
  {
    name: "another site's page is refused without an Origin too",
    source: fetchMetadata,
    headers: { host: '127.0.0.1:{port}', 'sec-fetch-site': 'cross-site' },
    status: 401,
  },
  {
    name: 'a request that a proxy passes on is refused',
    source: rfc7239,
    headers: { host: '127.0.0.1:{port}', forwarded: 'for=192.0.2.1' },
    status: 401,
  },
  {
    name: 'a request with X-Forwarded-Host is refused',
    source: rfc7239,
    headers: { host: '127.0.0.1:{port}', 'x-forwarded-host': 'x' },
    status: 401,
  },
  {
    name: 'a request with Via is refused',
    source: 'RFC 9110, 7.6.3',
    headers: { host: '127.0.0.1:{port}', via: '1.1 proxy' },
    status: 401,
  },
  {
    name: 'a request with X-Real-IP is refused',
    source: 'nginx: ngx_http_realip_module',
    headers: { host: '127.0.0.1:{port}', 'x-real-ip': '192.0.2.1' },
    status: 401,
  },
];
