import type { ChannelChange } from '../../../extensions/notifications/contract.js';

/** Settings of a channel that are saved while outgoing calls may reach no private address. */
export interface AddressCase {
  name: string;
  source: string;
  channel: string;
  settings: NonNullable<ChannelChange['settings']>;
  /** The setting that is refused; undefined: all are saved. */
  refused?: string;
}

const ssrf = 'OWASP Server Side Request Forgery Prevention; Mattermost setting AllowedUntrustedInternalConnections';

export const addressCases: readonly AddressCase[] = [
  { name: 'a webhook at a private address', source: ssrf, channel: 'webhook', settings: { url: 'http://10.0.0.5/hook' }, refused: 'url' },
  {
    name: 'a webhook at a private address over https',
    source: ssrf,
    channel: 'webhook',
    settings: { url: 'https://192.168.7.7:8443/hook' },
    refused: 'url',
  },
  {
    name: 'a webhook at a name that resolves to this machine',
    source: ssrf,
    channel: 'webhook',
    settings: { url: 'http://localhost:9/hook' },
    refused: 'url',
  },
  {
    name: 'a webhook at a private address of IPv6',
    source: ssrf,
    channel: 'webhook',
    settings: { url: 'https://[fd00::1]/' },
    refused: 'url',
  },
  {
    name: 'a webhook at a loopback address written as IPv4 in IPv6',
    source: ssrf,
    channel: 'webhook',
    settings: { url: 'https://[::ffff:127.0.0.1]/' },
    refused: 'url',
  },
  {
    name: 'a webhook at the address of a cloud’s metadata',
    source: ssrf,
    channel: 'webhook',
    settings: { url: 'https://169.254.169.254/latest' },
    refused: 'url',
  },
  {
    name: 'a webhook at an address of carrier-grade NAT (RFC 6598)',
    source: ssrf,
    channel: 'webhook',
    settings: { url: 'https://100.64.0.1/' },
    refused: 'url',
  },
  {
    name: 'a Slack-compatible server in the private network',
    source: ssrf,
    channel: 'slack',
    settings: { url: 'http://192.168.1.20:8065/hooks/abc' },
    refused: 'url',
  },
  {
    name: 'a Feishu-compatible server in the private network',
    source: ssrf,
    channel: 'feishu',
    settings: { url: 'http://127.0.0.1:3000/open-apis/bot/v2/hook/x' },
    refused: 'url',
  },
  {
    name: 'a DingTalk-compatible server in the private network',
    source: ssrf,
    channel: 'dingtalk',
    settings: { url: 'http://172.16.0.9/robot/send' },
    refused: 'url',
  },
  {
    name: 'a WeCom-compatible server in the private network',
    source: ssrf,
    channel: 'wecom',
    settings: { url: 'http://10.1.2.3/cgi-bin/webhook/send?key=x' },
    refused: 'url',
  },
  {
    name: 'a Bot API server on this machine',
    source: 'tdlib/telegram-bot-api README: a local server',
    channel: 'telegram',
    settings: { token: `1234567:${'A'.repeat(35)}`, chat_id: '42', api_url: 'http://localhost:8081' },
    refused: 'api_url',
  },
  {
    name: 'a name that has no address yet is saved',
    source: 'a server may be set up after its webhook',
    channel: 'webhook',
    settings: { url: 'https://nowhere..example/hook' },
  },
  { name: 'a public address is saved', source: 'RFC 5737', channel: 'webhook', settings: { url: 'https://1.1.1.1/hook' } },
];
