import joi from 'joi';
import type { ChannelDeliver, ChannelDelivery, ChannelDescription } from '../../contract/channel.js';
import { isFailure } from '../../contract/failure.js';

/** Slot in which the extension `notifications` looks up channels. */
export const channelSlot = 'notifications.channel';

/** Limits of one channel. */
export const max_fields = 20;
const max_value_length = 2_000;
const max_message_length = 300;

/** Schema of a channel's description. */
export const channelSchema = joi.object<ChannelDescription>({
  name: joi
    .string()
    .pattern(/^[a-z0-9][a-z0-9._-]{0,63}$/)
    .required(),
  title: joi.string().max(64).required(),
  fields: joi
    .array()
    .items(
      joi.object({
        name: joi
          .string()
          .pattern(/^[a-z][a-z0-9_]{0,31}$/)
          .required(),
        label: joi.string().max(64).required(),
        secret: joi.boolean().default(false),
        required: joi.boolean().default(false),
        description: joi.string().max(500).allow('').default(''),
      }),
    )
    .unique('name')
    .max(max_fields)
    .required(),
});

/** Delivery error in the shape that the extension `notifications` recognises (`isUndelivered`). */
class DeliveryError extends Error {
  readonly isUndelivered = true;
  readonly retry: boolean;
  readonly retry_after_ms: number | undefined;

  constructor(message: string, { retry, retry_after_ms, cause }: { retry: boolean; retry_after_ms?: number; cause: unknown }) {
    super(message, { cause });
    this.retry = retry;
    this.retry_after_ms = retry_after_ms;
  }
}

/** Returns a channel's contribution to {@link channelSlot}. */
export function channelOf(description: ChannelDescription, deliver: ChannelDeliver) {
  const { name, title, fields } = joi.attempt(description, channelSchema) as ChannelDescription;
  const check = (value: string) => (value.length > max_value_length ? `it has more than ${max_value_length} characters` : undefined);
  return {
    name,
    title,
    fields: fields.map((field) => ({ ...field, check })),
    async send(delivery: ChannelDelivery): Promise<void> {
      try {
        const set = Object.entries(delivery.settings).filter(([, value]) => value !== '');
        await deliver({ ...delivery, settings: Object.fromEntries(set) });
      } catch (thrown) {
        throw toDeliveryError(thrown, title);
      }
    },
  };
}

function toDeliveryError(thrown: unknown, title: string): DeliveryError {
  if (!isFailure(thrown)) return new DeliveryError(`${title} failed; see the server log`, { retry: true, cause: thrown });
  const { message, status, retry_after } = thrown;
  const sentence = message.slice(0, max_message_length).replace(/\p{Cc}/gu, ' ');
  const later = retry_after === undefined ? {} : { retry_after_ms: retry_after * 1_000 };
  return new DeliveryError(sentence, { retry: status >= 500, ...later, cause: thrown });
}
