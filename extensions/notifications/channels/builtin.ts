import type { Clock, Context } from '../../../kernel/contract/index.js';
import { isPrivateHost } from './address.js';
import type { Channel } from './channel.js';
import { withChecks } from './checked.js';
import { dingtalkChannel } from './dingtalk.js';
import { emailChannel } from './email.js';
import { feishuChannel } from './feishu.js';
import type { ChannelParts } from './parts.js';
import { createPost } from './post.js';
import { slackChannel } from './slack.js';
import type { SmtpSettings } from './smtp.js';
import { telegramChannel } from './telegram.js';
import { webhookChannel } from './webhook.js';
import { wecomChannel } from './wecom.js';

export interface ChannelOptions {
  /** The guarded fetch: checks each address, also after name resolution and redirects. */
  fetch: Context['fetch'];
  /** Undefined if no mail server is configured: e-mails then fail with a message that says so. */
  smtp: SmtpSettings | undefined;
  clock: Clock;
  /**
   * Whether a host may be called over http and may replace a vendor's own host: a local server that uses the vendor's
   * protocol. Default: names and addresses of private networks. Whether it may be reached is decided by the guarded
   * fetch (setting `fetch_allow`).
   */
  allowed?: (host: string) => boolean;
  /** Time limit of a delivery. Default 10,000; a mail server has three times as long. */
  timeout_ms?: number;
}

const timeout_default_ms = 10_000;

/** Creates the built-in channels, in display order. */
export function builtinChannels({
  fetch,
  smtp,
  clock,
  allowed = isPrivateHost,
  timeout_ms = timeout_default_ms,
}: ChannelOptions): Channel[] {
  const parts: ChannelParts = { post: createPost({ fetch, clock, timeout_ms }), clock, allowed };
  const channels = [
    emailChannel({ smtp, clock, timeout_ms }),
    webhookChannel(parts),
    slackChannel(parts),
    feishuChannel(parts),
    dingtalkChannel(parts),
    wecomChannel(parts),
    telegramChannel(parts),
  ];
  return channels.map(withChecks);
}
