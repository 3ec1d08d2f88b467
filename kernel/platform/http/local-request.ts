import type { IncomingMessage } from 'node:http';
import { isLoopback } from './address.js';

/** Headers by which a proxy says that it passes a request on. */
const proxied = /^(?:forwarded|via|x-real-ip|x-forwarded-.*|cf-connecting-ip|true-client-ip)$/;

/**
 * Whether a program on this machine asks by itself. A connection from loopback alone doesn't show that: it may be a proxy's, or a
 * browser's for a page whose name was rebound to this machine, which names itself in `Host` or `Origin`.
 */
export function isLocalRequest({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  if (!isLoopback(socket.remoteAddress) || Object.keys(headers).some((name) => proxied.test(name))) return false;
  return isLoopbackHost(headers.host) && (headers.origin === undefined || isLoopbackOrigin(headers.origin)) && !isForeignPage(headers);
}

/** A browser says so of requests that another site's page makes without an `Origin`. */
function isForeignPage(headers: IncomingMessage['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).host);
}

/** `localhost` or a loopback address, with or without a port. */
function isLoopbackHost(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d*$/, '').toLowerCase();
  return name === 'localhost' || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}
