import { faultOf, isVendorHost } from './address.js';
import { type Channel, type Field, Undelivered } from './channel.js';
import type { ChannelParts } from './parts.js';
import type { PostResponse } from './post.js';
import { afterSeconds } from './retry-after.js';
import { textOf } from './text.js';
import { bodyOf, requireAccepted } from './verdict.js';

const title = 'Telegram';
const official = 'https://api.telegram.org';
/** Limit of a message's text in UTF-16 units, which are never fewer than Telegram counts. */
const max_characters = 4_096;

/** By a part of the description: the code is little more than the status. */
const reasons: readonly (readonly [description: RegExp, message: string])[] = [
  [/chat not found/i, 'cannot find the chat: check its id, and write to the bot once'],
  [/blocked by the user|user is deactivated|bot can't initiate conversation/i, 'does not let the bot write to you: start it in Telegram'],
  [
    /was kicked|not a member|not enough rights|have no rights|CHAT_WRITE_FORBIDDEN/i,
    'does not let the bot write to this chat: add it there',
  ],
  [/unauthorized|^not found$/i, 'does not know the bot: check its token'],
];

/**
 * A bot's `sendMessage` (https://core.telegram.org/bots/api#sendmessage): 4,096 characters, without a `parse_mode`, so
 * the text is shown verbatim. Errors are `ok: false` with a description; after too many messages,
 * `parameters.retry_after` holds the wait in seconds (https://core.telegram.org/bots/api#responseparameters).
 */
export function telegramChannel({ post, clock, allowed }: ChannelParts): Channel {
  return {
    name: 'telegram',
    title,
    fields: [tokenField, chatField, serverField(allowed)],
    async send({ settings: { token = '', chat_id = '', api_url = official }, note, signal }) {
      const text = textOf(note, { max: max_characters, size: (part) => part.length });
      const url = `${api_url.replace(/\/+$/, '')}/bot${token}/sendMessage`;
      const answer = await post({ url, body: JSON.stringify({ chat_id, text, link_preview_options: { is_disabled: true } }), signal });
      const { ok, description, parameters } = bodyOf(answer);
      if (ok === false) throw refusal(answer, String(description), (parameters ?? {}) as Readonly<Record<string, unknown>>);
      requireAccepted(title, answer, clock);
      if (ok !== true && isVendorHost('telegram', url)) throw new Undelivered(`${title} gave an unexpected answer; check the address`);
    },
  };
}

function refusal(
  { status }: PostResponse,
  description: string,
  { retry_after, migrate_to_chat_id }: Readonly<Record<string, unknown>>,
): Undelivered {
  if (Number.isSafeInteger(migrate_to_chat_id))
    return new Undelivered(`${title} has given the group another id: set the chat to ${migrate_to_chat_id as number}`, { retry: false });
  const known = reasons.find(([part]) => part.test(description));
  if (known) return new Undelivered(`${title} ${known[1]}`, { retry: false });
  if (status === 429)
    return new Undelivered(`${title} accepts no more messages at the moment`, { retry_after_ms: afterSeconds(retry_after) });
  return new Undelivered(`${title} refused the message (HTTP ${status})`, { retry: status >= 500 });
}

const tokenField: Field = {
  name: 'token',
  label: 'Bot token',
  secret: true,
  required: true,
  description: 'The token that @BotFather gave for the bot: 123456789:AA…',
  check: (value) => (/^\d{1,20}:[A-Za-z0-9_-]{20,100}$/.test(value) ? undefined : 'it must be digits, a colon, and letters and digits'),
};

const chatField: Field = {
  name: 'chat_id',
  label: 'Chat',
  secret: false,
  required: true,
  description: 'The id of the chat (a number, of groups with a minus), or the @name of a channel. Write to the bot once before.',
  check: (value) => (/^(?:-?\d{1,20}|@[A-Za-z]\w{3,63})$/.test(value) ? undefined : 'it must be a number, or @ and a name'),
};

/** https://github.com/tdlib/telegram-bot-api */
function serverField(allowed: (host: string) => boolean): Field {
  return {
    name: 'api_url',
    label: 'Bot API server',
    secret: false,
    required: false,
    called: true,
    description: `A Bot API server of your own, within the private network. Default: ${official}`,
    check: (value) => serverFault(value, allowed),
  };
}

/** Requires a private host or Telegram's own: the token is sent to it. */
function serverFault(value: string, allowed: (host: string) => boolean): string | undefined {
  if (value.includes('?')) return 'it may not have a query';
  const fault = faultOf(value, { vendor: 'telegram', allowed });
  if (fault !== undefined || isVendorHost('telegram', value) || allowed(new URL(value).hostname)) return fault;
  return 'its host must be api.telegram.org, or within the private network';
}
