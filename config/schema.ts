import { isIP } from 'node:net';
import { mcpServers } from './mcp-servers.js';
import { modelFeatures } from './model-features.js';
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

/** One setting: where it comes from, what it may be, and one sentence that says what it is for. */
export interface Setting {
  readonly type: SettingType<unknown>;
  /** Its environment variable; a secret's may have `_FILE` added, and then names a file that holds the value. */
  readonly environment: string;
  /** A variable of another program that is used where ours is not set. */
  readonly fallback?: string;
  readonly secret?: true;
  readonly summary: string;
}

/** As far as a person can mistype it; what it means the engine knows. */
const imageReference = /^[a-z0-9][A-Za-z0-9._:/@-]{0,254}$/;

/**
 * All settings, by their dotted key in the configuration file. The empty text stands for "not set".
 * Defaults are in `default.json`.
 */
export const settings = {
  data_dir: {
    type: text('the path of a folder', /\S/),
    environment: 'PLATFORM_DATA_DIR',
    summary: 'The folder that holds the database, the files and the keys; made on the first start.',
  },
  host: {
    type: text('a host name or an IP address', /^[A-Za-z0-9._:%-]+$/),
    environment: 'PLATFORM_HOST',
    summary: 'The address that the server listens on.',
  },
  port: {
    type: integer(0, 65535),
    environment: 'PLATFORM_PORT',
    summary: 'The port that the server listens on; 0 takes a free one.',
  },
  base_url: {
    type: optional(address('http://', 'https://')),
    environment: 'PLATFORM_BASE_URL',
    summary: 'The address under which people reach the server; not set: the one that it listens on.',
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
    summary: 'What connects several instances: memory: (one instance alone), or redis://host.',
  },
  secret_key: {
    type: optional(text('at least 32 characters', /^.{32,1024}$/)),
    environment: 'PLATFORM_SECRET_KEY',
    secret: true,
    summary: 'The master key that seals the stored secrets; not set: one is made in the data folder. Several instances need it.',
  },
  instance_name: {
    type: optional(text('1 to 64 of A-Z a-z 0-9 . _ -', /^[A-Za-z0-9._-]{1,64}$/)),
    environment: 'PLATFORM_INSTANCE_NAME',
    summary: 'What answers call this instance, in the header X-Instance; not set: an id that is new at each start.',
  },
  trusted_proxies: {
    type: list('address ranges (10.0.0.0/8)', isRange),
    environment: 'PLATFORM_TRUSTED_PROXIES',
    summary: 'The proxies whose X-Forwarded-For is believed.',
  },
  cors_origins: {
    type: list('origins (https://host)', (found) => found === '*' || isOrigin(found)),
    environment: 'PLATFORM_CORS_ORIGINS',
    summary: 'The other web origins whose pages may call the API.',
  },
  log_level: {
    type: choice('debug', 'info', 'warn', 'error', 'silent'),
    environment: 'PLATFORM_LOG_LEVEL',
    summary: 'The least grave lines that are logged.',
  },
  log_format: {
    type: choice('auto', 'pretty', 'json'),
    environment: 'PLATFORM_LOG_FORMAT',
    summary: 'How the server logs: pretty (lines for people), json, or auto: pretty on a terminal and json elsewhere.',
  },
  fetch_allow: {
    type: list('host names and address ranges', isHostOrRange),
    environment: 'PLATFORM_FETCH_ALLOW',
    summary: 'Private hosts and address ranges that outgoing calls may reach all the same.',
  },
  docker_host: {
    type: optional(address('unix://', 'tcp://', 'http://', 'https://', 'ssh://')),
    environment: 'PLATFORM_DOCKER_HOST',
    fallback: 'DOCKER_HOST',
    summary: "The local container engine; not set: Docker's own socket.",
  },
  docker_cert_path: {
    type: text('a folder'),
    environment: 'PLATFORM_DOCKER_CERT_PATH',
    fallback: 'DOCKER_CERT_PATH',
    summary: 'The folder of ca.pem, cert.pem and key.pem for a local engine at tcp://, which is asked by TLS then.',
  },
  'limits.requests_per_minute': {
    type: integer(0, 1_000_000_000),
    environment: 'PLATFORM_REQUESTS_PER_MINUTE',
    summary: 'How many requests a minute a member, or an address where nobody is known, may make over HTTP; 0: any number.',
  },
  'limits.costly_per_minute': {
    type: integer(0, 1_000_000_000),
    environment: 'PLATFORM_COSTLY_PER_MINUTE',
    summary: 'How many of them may be costly: searches, uploads, publishing, runs; 0: any number.',
  },
  min_free_bytes: {
    type: optional(integer(0, Number.MAX_SAFE_INTEGER)),
    environment: 'PLATFORM_MIN_FREE_BYTES',
    summary: 'Free bytes of the disk below which nothing over 64 KiB is accepted; not set: 1 GiB or 5 %, whichever is smaller.',
  },
  'audit.days': {
    type: integer(1, 36_500),
    environment: 'PLATFORM_AUDIT_DAYS',
    summary: 'How many days the audit trail is kept.',
  },
  'members.admin_username': {
    type: text('2 to 64 of A-Z a-z 0-9 . _ -, and not me, which is reserved', /^(?!me$)[A-Za-z0-9._-]{2,64}$/i),
    environment: 'PLATFORM_ADMIN_USERNAME',
    summary: 'The user name of the administrator that the first start makes.',
  },
  'members.admin_password': {
    type: optional(text('8 to 256 characters', /^.{8,256}$/s)),
    environment: 'PLATFORM_ADMIN_PASSWORD',
    secret: true,
    summary: "That administrator's first password; not set: a random one is made and shown once.",
  },
  'members.access_ttl_s': {
    type: integer(60, 2_592_000),
    environment: 'PLATFORM_ACCESS_TTL_S',
    summary: 'How many seconds an access token is valid.',
  },
  'members.seats': {
    type: integer(0, 1_000_000),
    environment: 'PLATFORM_SEATS',
    summary: 'How many human members there may be; 0: as many as you like.',
  },
  'chat.member_quota_bytes': {
    type: integer(0, Number.MAX_SAFE_INTEGER),
    environment: 'PLATFORM_MEMBER_QUOTA_BYTES',
    summary: 'How many bytes of texts and images a member may have in chat; images beyond that are refused; 0: no limit.',
  },
  'agents.model.base_url': {
    type: optional(address('http://', 'https://')),
    environment: 'PLATFORM_MODEL_BASE_URL',
    summary: 'An OpenAI-compatible endpoint for the AI employees; not set: the built-in responder answers.',
  },
  'agents.model.api_key': {
    type: text('text'),
    environment: 'PLATFORM_MODEL_API_KEY',
    secret: true,
    summary: 'The key for that endpoint.',
  },
  'agents.model.name': {
    type: text('the name of a model'),
    environment: 'PLATFORM_MODEL_NAME',
    summary: 'The model that is asked for there.',
  },
  'agents.model.features': {
    type: modelFeatures,
    environment: 'PLATFORM_MODEL_FEATURES',
    summary: 'What that endpoint has or lacks, in place of what is learnt from its answers; in the variable as JSON: {"tools": false}.',
  },
  'agents.model.max_tokens': {
    type: integer(0, 1_000_000),
    environment: 'PLATFORM_MODEL_MAX_TOKENS',
    summary: 'How many tokens one answer of that model may have; 0: as many as the endpoint gives.',
  },
  'agents.limits.first_byte_seconds': {
    type: integer(1, 3_600),
    environment: 'PLATFORM_MODEL_FIRST_BYTE_S',
    summary: 'How many seconds a model may take until the first byte of its answer, unless an AI employee has a limit of its own.',
  },
  'agents.limits.idle_seconds': {
    type: integer(1, 3_600),
    environment: 'PLATFORM_MODEL_IDLE_S',
    summary: 'How many seconds may pass between two bytes of its answer; any byte counts, also a comment.',
  },
  'agents.limits.seconds': {
    type: integer(1, 86_400),
    environment: 'PLATFORM_RUN_S',
    summary: 'How many seconds an AI employee may work on one message, without the time that it waits for people.',
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
    summary: 'The image of a work node that names none.',
  },
  'nodes.guard_image': {
    type: optional(text('the reference of an image (busybox:stable)', imageReference)),
    environment: 'PLATFORM_NODE_GUARD_IMAGE',
    summary: "The image, with the program ip, that keeps work nodes from private addresses; not set: the node's own.",
  },
  'nodes.dns': {
    type: list('IP addresses', (found) => isIP(found) !== 0),
    environment: 'PLATFORM_NODE_DNS',
    summary: 'The name servers of work nodes, public ones, since nothing private is in their reach; none: the engine chooses.',
  },
  'notifications.smtp.host': {
    type: text('a host name or an IP address', /^[A-Za-z0-9._:-]*$/),
    environment: 'PLATFORM_SMTP_HOST',
    summary: 'The mail server that sends notifications; not set: there are none by e-mail.',
  },
  'notifications.smtp.port': {
    type: integer(1, 65535),
    environment: 'PLATFORM_SMTP_PORT',
    summary: 'Its port: as a rule 587 with starttls, 465 with tls, 25 with none.',
  },
  'notifications.smtp.secure': {
    type: choice('starttls', 'tls', 'none'),
    environment: 'PLATFORM_SMTP_SECURE',
    summary: 'How its connection is encrypted: starttls and tls insist on it, with a certificate that Node.js trusts.',
  },
  'notifications.smtp.user': {
    type: text('text'),
    environment: 'PLATFORM_SMTP_USER',
    summary: 'The user name there; not set: nobody logs in.',
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
    summary: 'The sender of the mails; not set: the user name if it is an address, else platform@ the mail server.',
  },
  'plugins.trusted': {
    type: list('ids of plugins', (found) => /^[a-z0-9][a-z0-9._-]{1,63}$/.test(found)),
    environment: 'PLATFORM_PLUGINS_TRUSTED',
    summary: 'The plugins that may run also where this machine refuses walls around them: those whose authors you trust.',
  },
  'plugins.files_bytes': {
    type: integer(1, Number.MAX_SAFE_INTEGER),
    environment: 'PLATFORM_PLUGINS_FILES_BYTES',
    summary: 'How many bytes the own folder of a plugin may hold; a plugin that has more is stopped, and a backup leaves the rest out.',
  },
  'plugins.files': {
    type: integer(1, 10_000_000),
    environment: 'PLATFORM_PLUGINS_FILES',
    summary: 'How many files and folders it may hold.',
  },
  'marketplace.upstream_registry': {
    type: optional(registry),
    environment: 'PLATFORM_UPSTREAM_REGISTRY',
    summary: 'Where else the marketplace finds bundles: another platform, a mirror, or a folder; not set: nothing leaves the machine.',
  },
  'marketplace.upstream_token': {
    type: text('a token without spaces, of at most 500 characters', /^[!-~]{0,500}$/),
    environment: 'PLATFORM_UPSTREAM_TOKEN',
    secret: true,
    summary: 'A personal token for that platform or mirror, where it wants one.',
  },
  'marketplace.require_trusted': {
    type: flag,
    environment: 'PLATFORM_REQUIRE_TRUSTED',
    summary: 'Whether only versions may be approved and installed that a trusted key has signed.',
  },
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof settings;
type Value<Key extends SettingKey> = Exclude<ReturnType<(typeof settings)[Key]['type']['read']>, undefined>;

/** The dotted keys as nested objects: `{'members.seats': number}` → `{members: {seats: number}}`. */
type Nested<Table> = {
  readonly [Key in keyof Table & string as Key extends `${infer Section}.${string}`
    ? Section
    : Key]: Key extends `${infer Section}.${string}` ? Nested<Under<Table, Section>> : Table[Key];
};
type Under<Table, Section extends string> = {
  readonly [Key in keyof Table as Key extends `${Section}.${infer Rest}` ? Rest : never]: Table[Key];
};

/** The settings of one installation, frozen. `data_dir` is absolute. */
export type Config = Nested<{ readonly [Key in SettingKey]: Value<Key> }>;
