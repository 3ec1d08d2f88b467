/** Patterns of an engine's or registry's messages, with advice. The first match is used. */
const advice: readonly [words: RegExp, helps: string][] = [
  [/toomanyrequests|rate limit|429/i, 'its registry limits requests: try again later, or use a mirror'],
  [/HTTP response to HTTPS client/i, "its registry speaks plain HTTP: add it to insecure-registries in the engine's daemon.json"],
  [
    /x509|certificate/i,
    "the engine does not trust the registry's certificate: put its authority into /etc/docker/certs.d on the engine's host",
  ],
  [/no matching manifest|does not match the specified platform/i, "it has no build for the engine's kind of processor"],
  [/no space left|disk quota/i, "the engine's disk is full: free space with docker system prune on its host"],
  [
    /schema ?v?1|unsupported manifest|mediatype.*not supported/i,
    'this engine does not support its format: push it again with a current Docker',
  ],
  [
    /verification failed|digest.*(?:mismatch|verification)|unexpected commit digest|failed size validation/i,
    'it was altered or truncated in transit: try again, and check for a proxy in front of the registry',
  ],
  [
    /unauthorized|authentication required|no basic auth|denied|forbidden|docker login/i,
    "it is private or does not exist: pull it once on the engine's host with docker login and docker pull",
  ],
  [/manifest unknown|not found|name unknown/i, 'check its name and tag'],
  [
    /no such host|lookup .* on|dial tcp|connection refused|i\/o timeout|deadline exceeded|unexpected EOF/i,
    "the engine's host can't reach the registry: check the registry's name and the host's network",
  ],
];

/** Returns advice for a message about a pull; empty if none applies. */
export function pullAdvice(words: string): string {
  const found = advice.find(([pattern]) => pattern.test(words));
  return found ? `. ${found[1].replace(/^./, (letter) => letter.toUpperCase())}` : '';
}
