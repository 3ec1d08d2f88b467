import { BlockList, isIP } from 'node:net';
import type { Field } from './channel.js';

const max_characters = 2_000;

/** Address ranges of private networks: RFC 1918, RFC 4193, loopback. */
const private_ranges = [
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
] as const;
/** Name endings that don't exist in public DNS: RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, and the common `lan`. */
const private_suffixes = ['localhost', 'local', 'internal', 'home.arpa', 'lan'];

/** Whether a host name or address belongs to a private network. `host` is a URL's `hostname`. */
export function isPrivateHost(host: string): boolean {
  const name = host.toLowerCase().replaceAll(/^\[|\]$|\.$/g, '');
  const family = isIP(name);
  if (family !== 0) return privateAddresses().check(name, family === 4 ? 'ipv4' : 'ipv6');
  return name !== '' && (!name.includes('.') || private_suffixes.some((suffix) => name.endsWith(`.${suffix}`)));
}

function privateAddresses(): BlockList {
  const list = new BlockList();
  for (const [network, prefix, family] of private_ranges) list.addSubnet(network, prefix, family);
  return list;
}

/** Hosts of the vendors. */
const vendors = {
  slack: { title: 'Slack', hosts: ['hooks.slack.com', 'hooks.slack-gov.com'], path: '/services/' },
  feishu: { title: 'Feishu or Lark', hosts: ['open.feishu.cn', 'open.larksuite.com'], path: '/open-apis/bot/' },
  dingtalk: { title: 'DingTalk', hosts: ['oapi.dingtalk.com'], path: '/robot/send' },
  wecom: { title: 'WeCom', hosts: ['qyapi.weixin.qq.com'], path: '/cgi-bin/webhook/' },
  telegram: { title: 'Telegram', hosts: ['api.telegram.org'], path: '/' },
} as const;

export type VendorName = keyof typeof vendors;

export interface AddressRules {
  /** The vendor whose protocol is used; undefined: any. */
  readonly vendor?: VendorName;
  /** Whether a host may be called over http. */
  readonly allowed: (host: string) => boolean;
}

/** Whether a URL is on the vendor's own host, not on a third-party server with the same protocol. */
export function isVendorHost(vendor: VendorName, url: string): boolean {
  return hasHost(vendor, new URL(url).hostname);
}

function hasHost(vendor: VendorName, hostname: string): boolean {
  return (vendors[vendor].hosts as readonly string[]).includes(hostname);
}

/** Returns the fault of a webhook URL; undefined if it is valid. The fault never includes the URL, which may hold a token. */
export function faultOf(value: string, { vendor, allowed }: AddressRules): string | undefined {
  if (value.length > max_characters) return `it has ${value.length} characters; the limit is ${max_characters}`;
  if (!URL.canParse(value)) return 'it is not an address such as https://host/path';
  const { protocol, hostname, username, password, hash, port, pathname } = new URL(value);
  if (protocol !== 'https:' && protocol !== 'http:') return 'it must begin with https://';
  if (username !== '' || password !== '') return 'it may not carry a user name or a password';
  if (hash !== '') return 'it may not have a part after #';
  if (allowed(hostname)) return undefined;
  if (protocol !== 'https:') return 'it must begin with https://';
  return vendor === undefined ? undefined : foreignFault(vendor, { hostname, port, pathname });
}

/** Any server may use a vendor's protocol except those of other vendors, which would accept the message and show nothing. */
function foreignFault(vendor: VendorName, { hostname, port, pathname }: Pick<URL, 'hostname' | 'port' | 'pathname'>): string | undefined {
  const owner = (Object.keys(vendors) as VendorName[]).find((name) => hasHost(name, hostname));
  if (owner === undefined) return undefined;
  const { title, path } = vendors[owner];
  if (owner !== vendor) return `it is an address of ${title}, which has a channel of its own`;
  return port === '' && pathname.startsWith(path) ? undefined : `it must begin with https://${hostname}${path}`;
}

/** Returns the field for the webhook URL. */
export function urlField(description: string, rules: AddressRules): Field {
  return {
    name: 'url',
    label: 'Webhook URL',
    secret: true,
    required: true,
    called: true,
    description,
    check: (value) => faultOf(value, rules),
  };
}

/** Returns the field for an optional signing secret. */
export function secretField(description: string, check: Field['check'] = shortText): Field {
  return { name: 'secret', label: 'Secret', secret: true, required: false, description, check };
}

function shortText(value: string): string | undefined {
  return /^[\x21-\x7e]{1,256}$/.test(value) ? undefined : 'it must have 1 to 256 letters, digits and signs, without spaces';
}
