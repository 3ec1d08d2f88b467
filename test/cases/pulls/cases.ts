/** An engine's words about a pull, as Docker has them, and the message for people. */
export interface PullCase {
  name: string;
  source: string;
  image?: string;
  /** The error in the stream of the pull. */
  says?: string;
  /** A refusal in place of the stream. */
  refusal?: { status: number; message: string };
  /** The failure's advice besides the engine's words. */
  advice: RegExp;
}

const hub = 'https://docs.docker.com/docker-hub/usage/';
const spec = 'https://github.com/opencontainers/distribution-spec/blob/main/spec.md#error-codes';
const insecure = 'https://distribution.github.io/distribution/about/insecure/';

export const pullCases: readonly PullCase[] = [
  {
    name: 'too many requests',
    source: hub,
    says: 'toomanyrequests: You have reached your unauthenticated pull rate limit.',
    advice: /try again later, or use a mirror/,
  },
  {
    name: 'a registry without HTTPS',
    source: insecure,
    refusal: { status: 500, message: 'Get "https://10.0.0.9:5000/v2/": http: server gave HTTP response to HTTPS client' },
    advice: /insecure-registries/,
  },
  {
    name: 'an unknown certificate',
    source: insecure,
    refusal: {
      status: 500,
      message: 'Get "https://r.example/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    },
    advice: /certs\.d/,
  },
  {
    name: 'an image for other processors',
    source: 'https://docs.docker.com/build/building/multi-platform/',
    says: 'no matching manifest for linux/arm64/v8 in the manifest list entries',
    advice: /kind of processor/,
  },
  {
    name: 'a full disk',
    source: 'https://docs.docker.com/engine/manage-resources/pruning/',
    says: 'failed to register layer: write /usr/lib/x: no space left on device',
    advice: /disk is full/,
  },
  {
    name: 'a manifest of schema version 1',
    source: 'https://docs.docker.com/engine/deprecated/',
    refusal: {
      status: 500,
      message: '[DEPRECATION NOTICE] Docker Image Format v1 and Docker Image manifest version 2, schema 1 support is disabled',
    },
    advice: /push it again/,
  },
  {
    name: 'a layer that was altered',
    source: spec,
    says: 'filesystem layer verification failed for digest sha256:aa',
    advice: /altered or truncated/,
  },
  {
    name: 'a private image',
    source: spec,
    refusal: {
      status: 404,
      message:
        "pull access denied for acme/work, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    },
    advice: /docker login and docker pull/,
  },
  {
    name: 'a registry that requires a login',
    source: spec,
    refusal: { status: 500, message: 'unauthorized: authentication required' },
    advice: /it is private/i,
  },
  {
    name: 'a registry that forbids the pull',
    source: spec,
    refusal: { status: 500, message: 'error parsing HTTP 403 response body: forbidden' },
    advice: /it is private/i,
  },
  {
    name: 'an unknown tag',
    source: spec,
    refusal: { status: 404, message: 'manifest for acme/work:2 not found: manifest unknown' },
    advice: /check its name and tag/i,
  },
  {
    name: 'an unreachable registry',
    source: 'https://docs.docker.com/engine/daemon/troubleshoot/',
    refusal: { status: 500, message: 'Get "https://r.example/v2/": dial tcp: lookup r.example on 10.0.0.2:53: no such host' },
    advice: /can't reach the registry/,
  },
  {
    name: 'a registry that fails',
    source: spec,
    refusal: { status: 500, message: 'received unexpected HTTP status: 503 Service Unavailable' },
    advice: /503 Service Unavailable/,
  },
  { name: 'a truncated download', source: spec, says: 'unexpected EOF', advice: /can't reach the registry/ },
];

/** References of images, and whether they are taken. */
export const referenceCases: readonly { name: string; source: string; image: string; taken: boolean }[] = [
  { name: 'a name without a tag', source: 'https://github.com/distribution/reference', image: 'busybox', taken: true },
  {
    name: 'a host with a port and a tag',
    source: 'https://github.com/distribution/reference',
    image: 'r.example:5000/team/work:1.2',
    taken: true,
  },
  { name: 'a host with a port and no tag', source: 'https://github.com/distribution/reference', image: 'localhost:5000/work', taken: true },
  { name: 'a digest', source: 'https://github.com/distribution/reference', image: `work@sha256:${'a'.repeat(64)}`, taken: true },
  {
    name: 'a tag and a digest',
    source: 'https://github.com/distribution/reference',
    image: `work:1@sha256:${'a'.repeat(64)}`,
    taken: true,
  },
  { name: 'capital letters', source: 'https://github.com/distribution/reference', image: 'Acme/Work', taken: false },
  { name: 'a scheme', source: 'https://github.com/distribution/reference', image: 'https://r.example/work', taken: false },
  { name: 'a blank at the end', source: 'https://github.com/distribution/reference', image: 'busybox ', taken: false },
];
