import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Test } from 'tap';
import { type Received, type Receiver, startReceiver } from './receiver.js';

export interface WebhookReceiver extends Receiver {
  readonly url: string;
  /** The bodies that were accepted, each id once. */
  readonly accepted: readonly Readonly<Record<string, unknown>>[];
}

/** A receiver of Standard Webhooks, which refuses with 401 what is unsigned, signed otherwise, or older than 5 minutes. */
export async function startWebhook(t: Test, { secret }: { secret?: string } = {}): Promise<WebhookReceiver> {
  const accepted = new Map<string, Readonly<Record<string, unknown>>>();
  const receiver = await startReceiver(t, (received) => {
    if (secret !== undefined && !isSigned(received, secret)) return { status: 401, body: 'Unauthorized' };
    if (received.method !== 'POST' || !received.body) return { status: 400 };
    accepted.set(String(received.headers['webhook-id']), received.body);
    return { status: 204 };
  });
  return {
    ...receiver,
    url: `${receiver.origin}/hooks/webhook-token-31c4`,
    get accepted() {
      return [...accepted.values()];
    },
  };
}

function isSigned({ headers, text }: Received, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = createHmac('sha256', key).update([id, timestamp, text].join('.')).digest();
  return String(signatures)
    .split(' ')
    .map((signature) => Buffer.from(signature.replace(/^v1,/, ''), 'base64'))
    .some((found) => found.byteLength === wanted.byteLength && timingSafeEqual(found, wanted));
}
