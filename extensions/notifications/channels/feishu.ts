import { createHmac } from 'node:crypto';
import { isVendorHost, secretField, urlField } from './address.js';
import type { Channel, Note } from './channel.js';
import type { ChannelParts } from './parts.js';
import { afterSeconds } from './retry-after.js';
import { bytesOf, cut, jsonBytesOf, summaryOf, titleOf } from './text.js';
import { type Reason, requireAcceptedBy } from './verdict.js';

/** Limit of a request's body. */
const max_bytes = 20 * 1024;
const max_link = 1_000;

const busy: Reason = { message: 'accepts no more messages at the moment', retry: true };

/** Error codes of custom bots, and the platform-wide one for rate limiting. */
const reasons: Readonly<Record<number, Reason>> = {
  9499: { message: 'did not understand the message: check that the address is that of a custom bot (…/bot/v2/hook/…)' },
  11232: busy,
  11247: busy,
  19001: { message: 'no longer knows this bot: copy its address again' },
  19002: { message: 'did not understand the message: check that the address is that of a custom bot (…/bot/v2/hook/…)' },
  19021: { message: "rejected the signature: check the secret and the platform's clock" },
  19022: { message: "does not accept messages from the platform's address: change the bot's IP whitelist" },
  19024: { message: "accepts only messages that contain the bot's keywords: change its security settings" },
  99991400: busy,
};

/**
 * A custom bot of Feishu or Lark (https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot): signature in the
 * body, 20 KB per request, 100 messages per minute and 5 per second, errors as `code` in the body, mostly with status
 * 200. Sends a `post`, whose text elements are shown verbatim: in a `text`, a message could mention all members with
 * `<at user_id="all">`.
 */
export function feishuChannel({ post, clock, allowed }: ChannelParts): Channel {
  const title = 'Feishu';
  const rules = { vendor: 'feishu', allowed } as const;
  return {
    name: 'feishu',
    title: 'Feishu / Lark',
    fields: [
      urlField('The address of a custom bot: https://open.feishu.cn/open-apis/bot/v2/hook/…', rules),
      secretField("The bot's secret, if its security settings require a signature."),
    ],
    async send({ settings: { url = '', secret }, note, signal }) {
      const body = bodyOf(note, secret === undefined ? {} : signatureOf(Math.floor(clock.now() / 1_000), secret));
      const answer = await post({ url, body, signal });
      requireAcceptedBy({ title, clock, isVendorHost: isVendorHost('feishu', url), code: codeOf, reason: reasonOf }, withReset(answer));
    },
  };
}

/** Signs an empty message; the key consists of the timestamp (seconds) and the secret. */
function signatureOf(timestamp: number, secret: string): { timestamp: string; sign: string } {
  return { timestamp: String(timestamp), sign: createHmac('sha256', `${timestamp}\n${secret}`).digest('base64') };
}

function bodyOf(note: Note, signature: object): string {
  const build = (text: string, link: object[]) => {
    const content = [[{ tag: 'text', text }], ...(link.length > 0 ? [link] : [])];
    return JSON.stringify({ ...signature, msg_type: 'post', content: { post: { zh_cn: { title: titleOf(note), content } } } });
  };
  const link = note.url === null || note.url.length > max_link ? [] : [{ tag: 'a', text: note.url, href: note.url }];
  return build(cut(summaryOf(note), { max: max_bytes - bytesOf(build('', link)), size: jsonBytesOf }), link);
}

function codeOf({ code, StatusCode }: Readonly<Record<string, unknown>>): unknown {
  return code ?? StatusCode;
}

/** A code is ambiguous: 9499 is "Bad Request" of a bot, and "too many request" of its gateway. */
function reasonOf(code: number, { msg }: Readonly<Record<string, unknown>>): Reason | undefined {
  if (typeof msg === 'string' && /too many|frequen/i.test(msg)) return busy;
  return Object.hasOwn(reasons, code) ? reasons[code] : undefined;
}

/** Adds `retry-after` from the header that Feishu uses instead, in seconds. */
function withReset<Kind extends { headers: Readonly<Record<string, string>> }>(answer: Kind): Kind {
  const reset = answer.headers['x-ogw-ratelimit-reset'];
  if (reset === undefined || afterSeconds(Number(reset)) === undefined) return answer;
  return { ...answer, headers: { 'retry-after': reset, ...answer.headers } };
}
