import { isVendorHost, urlField } from './address.js';
import { type Channel, Undelivered } from './channel.js';
import type { ChannelParts } from './parts.js';
import { textOf } from './text.js';
import { bodyOf, isAccepted, requireAccepted } from './verdict.js';

/** Slack truncates longer texts at 40,000 characters; up to 4,000 are displayed well. */
const max_characters = 4_000;

/** Error words of webhooks from Slack's documentation. */
const reasons: Readonly<Record<string, string>> = {
  no_service: 'no longer knows this webhook; create a new one',
  no_service_id: 'no longer knows this webhook; create a new one',
  no_team: 'no longer knows this webhook; create a new one',
  team_disabled: 'has closed this workspace',
  invalid_token: 'no longer knows this webhook; create a new one',
  channel_not_found: 'no longer finds the channel of this webhook',
  channel_is_archived: 'has archived the channel of this webhook',
  action_prohibited: 'does not let this webhook post to its channel: ask an administrator of the workspace',
  posting_to_general_channel_denied: 'does not let this webhook post to its channel: ask an administrator of the workspace',
};

/**
 * An incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). It responds with 200
 * and `ok`, or 4xx with a word as plain text; 429 has `Retry-After` (https://docs.slack.dev/apis/web-api/rate-limits).
 * `&`, `<` and `>` in the text are escaped (https://docs.slack.dev/messaging/formatting-message-text), so a message
 * can't mention anybody with `<!channel>`.
 * Other servers accept the same messages (Mattermost, Rocket.Chat, Discord, Zulip) with various responses: for them any
 * 2xx counts.
 */
export function slackChannel({ post, clock, allowed }: ChannelParts): Channel {
  const title = 'Slack';
  const rules = { vendor: 'slack', allowed } as const;
  return {
    name: 'slack',
    title,
    fields: [
      urlField('The address of an incoming webhook: https://hooks.slack.com/services/…, or that of a Slack-compatible server.', rules),
    ],
    async send({ settings: { url = '' }, note, signal }) {
      const text = escaped(textOf(note, { max: max_characters, size: (part) => escaped(part).length }));
      const answer = await post({ url, body: JSON.stringify({ text, mrkdwn: false, unfurl_links: false, unfurl_media: false }), signal });
      const { ok, error } = bodyOf(answer);
      const word = typeof error === 'string' ? error : answer.text.trim();
      const isSlack = isVendorHost('slack', url);
      if (Object.hasOwn(reasons, word) && (isSlack || !isAccepted(answer.status)))
        throw new Undelivered(`${title} ${reasons[word]}`, { retry: false });
      requireAccepted(title, answer, clock);
      if (isSlack && word !== 'ok' && ok !== true) throw new Undelivered(`${title} gave an unexpected answer; check the address`);
    },
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
