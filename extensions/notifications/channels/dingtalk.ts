import { createHmac } from 'node:crypto';
import { isVendorHost, secretField, urlField } from './address.js';
import type { Channel } from './channel.js';
import type { ChannelParts } from './parts.js';
import { bytesOf, textOf } from './text.js';
import { type Reason, requireAcceptedBy } from './verdict.js';

/** Limit of a message's text. */
const max_bytes = 20_000;
/** Lockout after more than 20 messages in a minute. */
const locked_ms = 10 * 60_000;

const unknownToken: Reason = { message: 'no longer knows this robot: copy its address again' };
const busy: Reason = { message: 'accepts no more messages at the moment', retry: true, retry_after_ms: locked_ms };

/** Error codes of custom robots. */
const reasons: Readonly<Record<number, Reason>> = {
  [-1]: { message: 'is busy', retry: true },
  90030: busy,
  130101: busy,
  300001: unknownToken,
  300005: unknownToken,
  310000: {
    message: "did not accept the message: check the secret, and the keywords and IP addresses in the robot's security settings",
  },
  400013: { message: 'has dissolved the group of this robot' },
  400101: unknownToken,
  400102: { message: 'has stopped this robot: enable it in its group' },
  400106: unknownToken,
  410100: busy,
  430101: { message: 'considers the link in the message unsafe' },
  430102: { message: 'considers the text of the message inappropriate' },
  430104: { message: 'considers the text of the message inappropriate' },
  660026: busy,
  460101: { message: 'considers the message too long' },
};

/**
 * A custom robot (https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages), signed in the query
 * (https://open.dingtalk.com/document/robots/customize-robot-security-settings); 20,000 bytes per message, 20 messages
 * per minute, errors as `errcode` in the body with status 200. The text can't mention anybody; only the field `at` can.
 */
export function dingtalkChannel({ post, clock, allowed }: ChannelParts): Channel {
  const title = 'DingTalk';
  const rules = { vendor: 'dingtalk', allowed } as const;
  return {
    name: 'dingtalk',
    title,
    fields: [
      urlField('The address of a custom robot: https://oapi.dingtalk.com/robot/send?access_token=…', rules),
      secretField("The robot's secret (SEC…), if its security settings require a signature."),
    ],
    async send({ settings: { url = '', secret }, note, signal }) {
      const body = JSON.stringify({ msgtype: 'text', text: { content: textOf(note, { max: max_bytes, size: bytesOf }) } });
      const answer = await post({ url: secret === undefined ? url : signed(url, clock.now(), secret), body, signal });
      requireAcceptedBy(
        { title, clock, isVendorHost: isVendorHost('dingtalk', url), code: ({ errcode }) => errcode, reason: reasonOf },
        answer,
      );
    },
  };
}

/** Signs a URL. `timestamp` is in ms. */
function signed(url: string, timestamp: number, secret: string): string {
  const address = new URL(url);
  address.searchParams.set('timestamp', String(timestamp));
  address.searchParams.set('sign', createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64'));
  return address.href;
}

function reasonOf(code: number): Reason | undefined {
  return Object.hasOwn(reasons, code) ? reasons[code] : undefined;
}
