import { isIP } from 'node:net';
import { mcpServers } from './mcp-servers.js';
import { modelFeatures } from './model-features.js';
import { modelPrice } from './model-price.js';
import {
  address,
  choice,
  flag,
  integer,
  isHostOrRange,
  isOrigin,
  isRange,
  list,
  optional,
  registry,
  type SettingType,
  text,
} from './types.js';

/** Describes a setting: its type, its sources, and its purpose in one sentence. */
export interface Setting {
  readonly type: SettingType<unknown>;
  /** Its environment variable. For a secret, the variable with `_FILE` added names a file that contains the value. */
  readonly environment: string;
  /** A variable of another program that is used if ours is not set. */
  readonly fallback?: string;
  readonly secret?: true;
  readonly summary: string;
}

/** Catches typing errors; only the engine can tell whether a reference is valid. */
const imageReference = /^[a-z0-9][A-Za-z0-9._:/@-]{0,254}$/;

/**
 * Defines all settings, by their dotted key in the configuration file. An empty string means "not set".
 * Defaults are in `default.json`.
 */
export const settings = {
  data_dir: {
    type: text('the path of a folder', /\S/),
    environment: 'PLATFORM_DATA_DIR',
    summary: 'The folder for the database, files and keys; created on the first start.',
  },
  host: {
    type: text('a host name or an IP address', /^[A-Za-z0-9._:%-]+$/),
    environment: 'PLATFORM_HOST',
    summary: 'The address that the server listens on.',
  },
  port: {
    type: integer(0, 65535),
    environment: 'PLATFORM_PORT',
    summary: 'The port that the server listens on; 0 chooses a free one.',
  },
  base_url: {
    type: optional(address('http://', 'https://')),
    environment: 'PLATFORM_BASE_URL',
    summary: 'The public address of the server. Default: the address that it listens on.',
  },
  database_url: {
    type: address('sqlite:', 'postgres://', 'postgresql://'),
    environment: 'PLATFORM_DATABASE_URL',
    secret: true,
    summary: 'The database: sqlite: (a file in the data folder), or postgres://user:password@host/name.',
  },
  bus_url: {
    type: address('memory:', 'redis://', 'rediss://'),
    environment: 'PLATFORM_BUS_URL',
    secret: true,
    summary: 'The message bus between instances: memory: (a single instance), or redis://host.',
  },
  secret_key: {
    type: optional(text('at least 32 characters', /^.{32,1024}$/)),
    environment: 'PLATFORM_SECRET_KEY',
    secret: true,
    summary: 'The master key that encrypts stored secrets. Default: one is created in the data folder. Required for several instances.',
  },
  instance_name: {
    type: optional(text('1 to 64 of A-Z a-z 0-9 . _ -', /^[A-Za-z0-9._-]{1,64}$/)),
    environment: 'PLATFORM_INSTANCE_NAME',
    summary: 'The name of this instance in the response header X-Instance. Default: an id that is new at each start.',
  },
  trusted_proxies: {
    type: list('address ranges (10.0.0.0/8)', isRange),
    environment: 'PLATFORM_TRUSTED_PROXIES',
    summary: 'The proxies whose headers X-Forwarded-For and X-Forwarded-Proto are trusted.',
  },
  cors_origins: {
    type: list('origins (https://host)', (found) => found === '*' || isOrigin(found)),
    environment: 'PLATFORM_CORS_ORIGINS',
    summary: 'The web origins, besides our own, whose pages may call the API.',
  },
  log_level: {
    type: choice('debug', 'info', 'warn', 'error', 'silent'),
    environment: 'PLATFORM_LOG_LEVEL',
    summary: 'The minimum level of logged lines.',
  },
  log_format: {
    type: choice('auto', 'pretty', 'json'),
    environment: 'PLATFORM_LOG_FORMAT',
    summary: 'The log format: pretty (lines for people), json, or auto: pretty on a terminal, json otherwise.',
  },
  fetch_allow: {
    type: list('host names and address ranges', isHostOrRange),
    environment: 'PLATFORM_FETCH_ALLOW',
    summary: 'Private hosts and address ranges that outgoing requests may reach despite the protection.',
  },
  docker_host: {
    type: optional(address('unix://', 'tcp://', 'http://', 'https://', 'ssh://')),
    environment: 'PLATFORM_DOCKER_HOST',
    fallback: 'DOCKER_HOST',
    summary: "The local container engine. Default: Docker's own socket.",
  },
  docker_cert_path: {
    type: text('a folder'),
    environment: 'PLATFORM_DOCKER_CERT_PATH',
    fallback: 'DOCKER_CERT_PATH',
    summary: 'The folder of ca.pem, cert.pem and key.pem for a local engine at tcp://; enables TLS.',
  },
  'limits.requests_per_minute': {
    type: integer(0, 1_000_000_000),
    environment: 'PLATFORM_REQUESTS_PER_MINUTE',
    summary: 'Limit of HTTP requests a minute for each member, or for each address without a login; 0: no limit.',
  },
  'limits.costly_per_minute': {
    type: integer(0, 1_000_000_000),
    environment: 'PLATFORM_COSTLY_PER_MINUTE',
    summary: 'Limit of costly requests a minute: searches, uploads, publishing, runs; 0: no limit.',
  },
  min_free_bytes: {
    type: optional(integer(0, Number.MAX_SAFE_INTEGER)),
    environment: 'PLATFORM_MIN_FREE_BYTES',
    summary: 'Free bytes on the disk below which the server rejects writes over 64 KiB. Default: 1 GiB or 5 %, whichever is smaller.',
  },
  'audit.days': {
    type: integer(1, 36_500),
    environment: 'PLATFORM_AUDIT_DAYS',
    summary: 'Retention of the audit trail in days.',
  },
  'members.admin_username': {
    type: text('2 to 64 of A-Z a-z 0-9 . _ -, and not me, which is reserved', /^(?!me$)[A-Za-z0-9._-]{2,64}$/i),
    environment: 'PLATFORM_ADMIN_USERNAME',
    summary: 'The user name of the administrator that the first start creates.',
  },
  'members.admin_password': {
    type: optional(text('8 to 256 characters', /^.{8,256}$/s)),
    environment: 'PLATFORM_ADMIN_PASSWORD',
    secret: true,
    summary: "That administrator's first password. Default: a random one, shown once.",
  },
  'members.access_ttl_s': {
    type: integer(60, 2_592_000),
    environment: 'PLATFORM_ACCESS_TTL_S',
    summary: 'Lifetime of an access token in seconds.',
  },
  'members.seats': {
    type: integer(0, 1_000_000),
    environment: 'PLATFORM_SEATS',
    summary: 'Limit of human members; 0: no limit.',
  },
  'chat.member_quota_bytes': {
    type: integer(0, Number.MAX_SAFE_INTEGER),
    environment: 'PLATFORM_MEMBER_QUOTA_BYTES',
    summary: "Limit of a member's texts, images and files in chat, in bytes; further images and files are rejected; 0: no limit.",
  },
  'agents.model.base_url': {
    type: optional(address('http://', 'https://')),
    environment: 'PLATFORM_MODEL_BASE_URL',
    summary: 'An OpenAI-compatible endpoint for the AI employees. Default: the built-in responder.',
  },
  'agents.model.api_key': {
    type: text('text'),
    environment: 'PLATFORM_MODEL_API_KEY',
    secret: true,
    summary: 'The API key of that endpoint.',
  },
  'agents.model.name': {
    type: text('the name of a model'),
    environment: 'PLATFORM_MODEL_NAME',
    summary: 'The model to use there.',
  },
  'agents.model.features': {
    type: modelFeatures,
    environment: 'PLATFORM_MODEL_FEATURES',
    summary: 'The features of that endpoint, which override what is learnt from its responses; in the variable as JSON: {"tools": false}.',
  },
  'agents.model.max_tokens': {
    type: integer(0, 1_000_000),
    environment: 'PLATFORM_MODEL_MAX_TOKENS',
    summary: 'Limit of tokens in one response of that model; 0: the limit of the endpoint.',
  },
  'agents.model.price': {
    type: optional(modelPrice),
    environment: 'PLATFORM_MODEL_PRICE',
    summary: 'The price of a million tokens of that model, for the cost in usage reports; in the variable as JSON.',
  },
  'agents.limits.first_byte_seconds': {
    type: integer(1, 3_600),
    environment: 'PLATFORM_MODEL_FIRST_BYTE_S',
    summary: 'Limit of seconds until the first byte of a response of the model, unless an AI employee has its own limit.',
  },
  'agents.limits.idle_seconds': {
    type: integer(1, 3_600),
    environment: 'PLATFORM_MODEL_IDLE_S',
    summary: 'Limit of seconds between two bytes of its response; any byte counts, also a comment.',
  },
  'agents.limits.seconds': {
    type: integer(1, 86_400),
    environment: 'PLATFORM_RUN_S',
    summary: 'Limit of seconds for the work of an AI employee on one message, without the time that it waits for people.',
  },
  'agents.mcp_servers': {
    type: mcpServers,
    environment: 'PLATFORM_MCP_SERVERS',
    secret: true,
    summary: 'MCP servers whose tools the AI employees may use; in the variable as JSON.',
  },
  'nodes.image': {
    type: text('the reference of an image (python:3.12-slim)', imageReference),
    environment: 'PLATFORM_NODE_IMAGE',
    summary: 'The default image of work nodes.',
  },
  'nodes.guard_image': {
    type: optional(text('the reference of an image (busybox:stable)', imageReference)),
    environment: 'PLATFORM_NODE_GUARD_IMAGE',
    summary: "The image, with the program ip, that blocks private addresses for work nodes. Default: the node's own image.",
  },
  'nodes.dns': {
    type: list('IP addresses', (found) => isIP(found) !== 0),
    environment: 'PLATFORM_NODE_DNS',
    summary:
      'The name servers of work nodes. They must be public, because work nodes reach no private addresses. Default: the choice of the engine.',
  },
  'notifications.smtp.host': {
    type: text('a host name or an IP address', /^[A-Za-z0-9._:-]*$/),
    environment: 'PLATFORM_SMTP_HOST',
    summary: 'The mail server for notifications; not set: no notifications by e-mail.',
  },
  'notifications.smtp.port': {
    type: integer(1, 65535),
    environment: 'PLATFORM_SMTP_PORT',
    summary: 'Its port: usually 587 with starttls, 465 with tls, 25 with none.',
  },
  'notifications.smtp.secure': {
    type: choice('starttls', 'tls', 'none'),
    environment: 'PLATFORM_SMTP_SECURE',
    summary: 'The encryption of its connection: starttls and tls require it, with a certificate that Node.js trusts.',
  },
  'notifications.smtp.user': {
    type: text('text'),
    environment: 'PLATFORM_SMTP_USER',
    summary: 'The user name there; not set: no login.',
  },
  'notifications.smtp.password': {
    type: text('text'),
    environment: 'PLATFORM_SMTP_PASSWORD',
    secret: true,
    summary: 'The password there.',
  },
  'notifications.smtp.from': {
    type: optional(
      text(
        'an e-mail address, or Name <address>',
        /^ *(?:(?:"(?:[^"\\\p{Cc}]|\\[^\p{Cc}]){0,200}"|[^\p{Cc}<>]{0,200}?) *<[^\s<>@]{1,64}@[^\s<>@]{1,255}>|[^\s<>@]{1,64}@[^\s<>@]{1,255}) *$/u,
      ),
    ),
    environment: 'PLATFORM_SMTP_FROM',
    summary: 'The sender of the mails. Default: the user name if it is an address, otherwise platform@ the mail server.',
  },
  'plugins.trusted': {
    type: list('ids of plugins', (found) => /^[a-z0-9][a-z0-9._-]{1,63}$/.test(found)),
    environment: 'PLATFORM_PLUGINS_TRUSTED',
    summary: 'The plugins that may run without a sandbox if this machine supports none: only those whose authors you trust.',
  },
  'plugins.files_bytes': {
    type: integer(1, Number.MAX_SAFE_INTEGER),
    environment: 'PLATFORM_PLUGINS_FILES_BYTES',
    summary: "Limit of a plugin's own folder in bytes; a plugin that exceeds it is stopped, and backups leave out the rest.",
  },
  'plugins.files': {
    type: integer(1, 10_000_000),
    environment: 'PLATFORM_PLUGINS_FILES',
    summary: "Limit of files and folders in a plugin's own folder.",
  },
  'marketplace.upstream_registry': {
    type: optional(registry),
    environment: 'PLATFORM_UPSTREAM_REGISTRY',
    summary: 'The upstream source of bundles: another platform, a mirror, or a folder; not set: the marketplace makes no requests.',
  },
  'marketplace.upstream_token': {
    type: text('a token without spaces, of at most 500 characters', /^[!-~]{0,500}$/),
    environment: 'PLATFORM_UPSTREAM_TOKEN',
    secret: true,
    summary: 'A personal token for that platform or mirror, if it requires one.',
  },
  'marketplace.require_trusted': {
    type: flag,
    environment: 'PLATFORM_REQUIRE_TRUSTED',
    summary: 'Whether only versions signed by a trusted key may be approved and installed.',
  },
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof settings;
type Value<Key extends SettingKey> = Exclude<ReturnType<(typeof settings)[Key]['type']['read']>, undefined>;

/** Converts dotted keys to nested objects: `{'members.seats': number}` → `{members: {seats: number}}`. */
type Nested<Table> = {
  readonly [Key in keyof Table & string as Key extends `${infer Section}.${string}`
    ? Section
    : Key]: Key extends `${infer Section}.${string}` ? Nested<Under<Table, Section>> : Table[Key];
};
type Under<Table, Section extends string> = {
  readonly [Key in keyof Table as Key extends `${Section}.${infer Rest}` ? Rest : never]: Table[Key];
};

/** The frozen settings of one installation. `data_dir` is absolute. */
export type Config = Nested<{ readonly [Key in SettingKey]: Value<Key> }>;
