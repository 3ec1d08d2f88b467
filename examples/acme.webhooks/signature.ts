import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Verbatim } from 'platform/contract';
import { fail } from './codes.js';

export interface Checking {
  /** Undefined if there is no such hook; the check then takes equally long. */
  secret: string | undefined;
  tolerance_s: number;
  now: number;
}

/**
 * Checks `X-Hub-Signature-256: sha256=<hex>`, an HMAC over the received body. With a header `X-Webhook-Timestamp`, in seconds since the
 * epoch, it is an HMAC over `<timestamp>.<body>`, so that a delivery replayed later is rejected. Returns the signature.
 */
export function checkSignature({ headers, body }: Verbatim, { secret, tolerance_s, now }: Checking): string {
  const timestamp = headers['x-webhook-timestamp'];
  const given = /^sha256=([0-9a-f]{64})$/i.exec(headers['x-hub-signature-256'] ?? '')?.[1] ?? '';
  const hmac = createHmac('sha256', secret ?? 'nobody');
  if (timestamp !== undefined) hmac.update(`${timestamp}.`);
  const expected = hmac.update(body).digest();
  // Equal lengths, because the comparison requires them.
  const found = Buffer.from(given.padEnd(64, '0'), 'hex');
  if (!timingSafeEqual(found, expected) || given === '' || secret === undefined) {
    throw fail(
      'signature_invalid',
      'There is no such hook, or the header X-Hub-Signature-256 is not the signature of this body with its secret',
    );
  }
  if (timestamp !== undefined && !isNear(timestamp, now, tolerance_s)) {
    throw fail('timestamp_invalid', `X-Webhook-Timestamp must be seconds since the epoch, at most ${tolerance_s} from now`);
  }
  return expected.toString('hex');
}

function isNear(timestamp: string, now: number, tolerance_s: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) - now / 1000) <= tolerance_s;
}
