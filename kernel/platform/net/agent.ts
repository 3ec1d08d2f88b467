import type { LookupFunction, Socket } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, buildConnector } from 'undici';
import { normalAddress } from './address.js';
import { fail } from './failures.js';
import type { Guard, ResolvedAddress } from './guard.js';

const CONNECT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
/** Timeout of the connection, above the callers' own limits of at most an hour: a model on a small machine may take minutes for its first word. */
const SILENCE_MS = 61 * 60_000;
/** Limit of connections, high because each model response holds one for minutes; a queued request would look like a silent model. */
const CONNECTIONS_PER_ORIGIN = 1_000;

/** Creates an HTTP client that connects only to checked addresses, also after redirects. */
export function createAgent(guard: Guard): Agent {
  return new Agent({
    connections: CONNECTIONS_PER_ORIGIN,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    // The declared callback takes an error or a socket and null for the other; Node leaves the other out.
    connect: callbackify((options: buildConnector.Options) => open(guard, options)) as unknown as buildConnector.connector,
  });
}

/** Connects to a checked address; host name and certificate stay those of the URL. */
async function open(guard: Guard, options: buildConnector.Options): Promise<Socket> {
  const addresses = await guard.resolve(options.hostname, Number(options.port) || (options.protocol === 'https:' ? 443 : 80));
  const socket = await connect(addresses, options);
  const reached = socket.remoteAddress;
  if (reached !== undefined && addresses.some(({ address }) => normalAddress(address) === normalAddress(reached))) return socket;
  socket.destroy();
  throw fail('fetch_failed', `The connection to '${options.hostname}' was lost at once`);
}

function connect(addresses: readonly ResolvedAddress[], options: buildConnector.Options): Promise<Socket> {
  const lookup: LookupFunction = (_name, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
  const connector = buildConnector({ timeout: CONNECT_MS, lookup, autoSelectFamily: true });
  return new Promise((resolve, reject) => {
    connector(options, (...[error, socket]) => (error ? reject(error) : resolve(socket)));
  });
}
