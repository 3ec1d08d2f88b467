import { createHmac } from 'node:crypto';
import { secretField, urlField } from './address.js';
import type { Channel, Note } from './channel.js';
import type { ChannelParts } from './parts.js';
import { requireAccepted } from './verdict.js';

const prefix = 'whsec_';
/** A receiver may have changed its path or its trailing slash. */
const redirects = 3;

/**
 * Posts the notification as JSON: `{type: "notification.created", timestamp, data}`, with its content and subject ids
 * in `data`. Follows Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md) with the headers
 * `webhook-id` (the same for each attempt), `webhook-timestamp` (seconds; of this attempt) and, if there is a secret,
 * `webhook-signature`. Any 2xx means accepted. At most 3 redirects with 307 or 308 are followed; others would turn the
 * POST into a GET and fail without a retry.
 */
export function webhookChannel({ post, clock, allowed }: ChannelParts): Channel {
  return {
    name: 'webhook',
    title: 'Webhook',
    fields: [
      urlField('The https address that notifications are posted to, as JSON.', { allowed }),
      secretField(
        `Signs each message, so that its receiver can verify the sender: ${prefix} and 24 to 64 random bytes in base64, as of \`openssl rand -base64 32\`.`,
        secretFault,
      ),
    ],
    async send({ settings: { url = '', secret }, note, signal }) {
      const message = { id: `notification-${note.id}`, timestamp: Math.floor(clock.now() / 1_000), body: payloadOf(note) };
      const headers = {
        'webhook-id': message.id,
        'webhook-timestamp': String(message.timestamp),
        ...(secret === undefined ? {} : { 'webhook-signature': signatureOf(message, secret) }),
      };
      requireAccepted(new URL(url).host, await post({ url, body: message.body, headers, signal, redirects }), clock);
    },
  };
}

function payloadOf({ id, source, kind, title, summary, created_at, url, link, about }: Note): string {
  const data = { id, source, kind, title, summary, created_at, url, link, ...about };
  return JSON.stringify({ type: 'notification.created', timestamp: created_at, data });
}

export interface SignedMessage {
  /** Without a dot. */
  id: string;
  /** In seconds. */
  timestamp: number;
  body: string;
}

/**
 * Returns `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, with a checked secret. The package
 * standardwebhooks isn't used: it brings a hash in JavaScript for one line of Node's.
 */
export function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}

function secretFault(value: string): string | undefined {
  const isBase64 = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(value);
  const bytes = isBase64 ? keyOf(value).byteLength : 0;
  return bytes >= 24 && bytes <= 64 ? undefined : `it must be ${prefix} and 24 to 64 bytes in base64`;
}
