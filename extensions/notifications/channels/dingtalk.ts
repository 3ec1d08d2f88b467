import { createHmac } from 'node:crypto';
import { isOwnHost, secretField, urlField } from './address.js';
import type { Channel } from './channel.js';
import type { Parts } from './parts.js';
import { bytesOf, textOf } from './text.js';
import { type Reason, requireAcceptedBy } from './verdict.js';

/** Of a message's text. */
const max_bytes = 20_000;
/** Who sends more than 20 messages a minute is locked out for so long. */
const locked_ms = 10 * 60_000;

const unknownToken: Reason = { message: 'does not know this robot any more: copy its address anew' };
const busy: Reason = { message: 'takes no more messages for now', retry: true, retry_after_ms: locked_ms };

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
  430101: { message: 'holds the link in the message for unsafe' },
  430102: { message: 'holds the text of the message for improper' },
  430104: { message: 'holds the text of the message for improper' },
  660026: busy,
  460101: { message: 'holds the message for too long' },
};

/**
 * A custom robot (https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages), signed in the
 * query (https://open.dingtalk.com/document/robots/customize-robot-security-settings); 20,000 bytes a message, 20
 * messages a minute, errors as `errcode` in the body with status 200. Nobody is called: only the field `at` does
 * that, not the text.
 */
export function dingtalkChannel({ post, clock, allowed }: Parts): Channel {
  const title = 'DingTalk';
  const place = { vendor: 'dingtalk', allowed } as const;
  return {
    name: 'dingtalk',
    title,
    fields: [
      urlField('The address of a custom robot: https://oapi.dingtalk.com/robot/send?access_token=…', place),
      secretField("The robot's secret (SEC…), where its security settings ask for a signature."),
    ],
    async send({ settings: { url = '', secret }, note, signal }) {
      const body = JSON.stringify({ msgtype: 'text', text: { content: textOf(note, { max: max_bytes, size: bytesOf }) } });
      const answer = await post({ url: secret === undefined ? url : signed(url, clock.now(), secret), body, signal });
      requireAcceptedBy({ title, clock, isOwn: isOwnHost('dingtalk', url), code: ({ errcode }) => errcode, reason: reasonOf }, answer);
    },
  };
}

/** `timestamp` in milliseconds. */
function signed(url: string, timestamp: number, secret: string): string {
  const address = new URL(url);
  address.searchParams.set('timestamp', String(timestamp));
  address.searchParams.set('sign', createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64'));
  return address.href;
}

function reasonOf(code: number): Reason | undefined {
  return Object.hasOwn(reasons, code) ? reasons[code] : undefined;
}
