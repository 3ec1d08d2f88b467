import { isVendorHost, urlField } from './address.js';
import type { Channel, Note } from './channel.js';
import type { ChannelParts } from './parts.js';
import { bytesOf, textOf } from './text.js';
import { type Reason, requireAcceptedBy } from './verdict.js';

/** Limit of a message's text. */
const max_bytes = 2_048;
const minute_ms = 60_000;

/** Error codes of group robots (https://developer.work.weixin.qq.com/document/path/90313). */
const reasons: Readonly<Record<number, Reason>> = {
  [-1]: { message: 'is busy', retry: true },
  40058: { message: 'did not understand the message' },
  45009: { message: 'accepts no more messages at the moment', retry: true, retry_after_ms: minute_ms },
  45033: { message: 'accepts no more messages at the moment', retry: true, retry_after_ms: minute_ms },
  93000: { message: 'no longer knows this robot: copy its address again' },
  93004: { message: 'has stopped this robot: enable it in its group' },
  93008: { message: 'no longer finds this robot in its group' },
};

/**
 * A group robot (https://developer.work.weixin.qq.com/document/path/91770): 2,048 bytes per message, 20 messages per
 * minute, errors as `errcode` in the body with status 200.
 */
export function wecomChannel({ post, clock, allowed }: ChannelParts): Channel {
  const title = 'WeCom';
  const rules = { vendor: 'wecom', allowed } as const;
  return {
    name: 'wecom',
    title,
    fields: [urlField('The address of a group robot: https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…', rules)],
    async send({ settings: { url = '' }, note, signal }) {
      const content = textOf(withoutMentions(note), { max: max_bytes, size: bytesOf });
      const answer = await post({ url, body: JSON.stringify({ msgtype: 'text', text: { content } }), signal });
      requireAcceptedBy(
        { title, clock, isVendorHost: isVendorHost('wecom', url), code: ({ errcode }) => errcode, reason: reasonOf },
        answer,
      );
    },
  };
}

/** Escapes mentions: `<@userid>` in a text mentions that member of the group. */
function withoutMentions(note: Note): Note {
  const escaped = (text: string) => text.replaceAll('<@', '< @');
  return { ...note, title: escaped(note.title), summary: escaped(note.summary) };
}

function reasonOf(code: number): Reason | undefined {
  return Object.hasOwn(reasons, code) ? reasons[code] : undefined;
}
