import { fail } from '../../contract/failure.js';

export { fail };

/** Limit of a message, as JSON. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

export function encodeMessage(channel: string, message: object): string {
  const json = JSON.stringify(message);
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_MESSAGE_BYTES) return json;
  throw fail('bus_message_too_large', `A message on '${channel}' may have ${MAX_MESSAGE_BYTES} bytes of JSON but has ${bytes}`);
}
