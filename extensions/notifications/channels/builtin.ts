import type { Clock, Context } from '../../../kernel/contract/index.js';
import { isInside } from './address.js';
import type { Channel } from './channel.js';
import { checked } from './checked.js';
import { dingtalkChannel } from './dingtalk.js';
import { emailChannel } from './email.js';
import { feishuChannel } from './feishu.js';
import type { Parts } from './parts.js';
import { createPost } from './post.js';
import { slackChannel } from './slack.js';
import type { SmtpSettings } from './smtp.js';
import { telegramChannel } from './telegram.js';
import { webhookChannel } from './webhook.js';
import { wecomChannel } from './wecom.js';

export interface ChannelOptions {
  /** The guarded fetch: it decides which addresses may be reached, also by name and after redirects. */
  fetch: Context['fetch'];
  /** Undefined where no mail server is configured: then each e-mail fails with a sentence that says so. */
  smtp: SmtpSettings | undefined;
  clock: Clock;
  /**
   * Hosts for which http is good enough, and which may stand in for a vendor's own: a server on the premises
   * that speaks its protocol. Default: names and addresses that only a private network has. Whether they may
   * be reached is the guarded fetch's decision (the setting `fetch_allow`).
   */
  allowed?: (host: string) => boolean;
  /** How long the other side has for one delivery. Default 10,000; a mail server has three times as long. */
  timeout_ms?: number;
}

const timeout_default_ms = 10_000;

/** The channels that the platform brings, in the order in which people see them. */
export function builtinChannels({ fetch, smtp, clock, allowed = isInside, timeout_ms = timeout_default_ms }: ChannelOptions): Channel[] {
  const parts: Parts = { post: createPost({ fetch, clock, timeout_ms }), clock, allowed };
  const channels = [
    emailChannel({ smtp, clock, timeout_ms }),
    webhookChannel(parts),
    slackChannel(parts),
    feishuChannel(parts),
    dingtalkChannel(parts),
    wecomChannel(parts),
    telegramChannel(parts),
  ];
  return channels.map(checked);
}
