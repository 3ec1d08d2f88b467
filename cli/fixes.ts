/** The command that helps against a failure or a red check, by its code. */
const fixes: Readonly<Record<string, string>> = {
  unauthenticated: 'log in with: platform login',
  invalid_token: 'log in again with: platform login',
  invalid_credentials: 'try again with: platform login --username <name>',
  unreachable: 'start it with: platform serve, or name another one with: --url <address>',
  unexpected_answer: 'look whether the address given by --url or the profile is right',
  port_in_use: 'take another port with: platform serve --port 0',
  port_forbidden: 'take a port above 1023 with: platform serve --port 8080',
  address_unavailable: 'listen on this machine only with: platform serve --host 127.0.0.1',
  data_dir_unwritable: 'take a folder that you may write with: platform serve --data-dir <folder>',
  data_dir_locked: 'end the process that has it, or use another folder with: --data-dir <folder>',
  database_corrupt: 'the damaged file is left as it is; go on with a backup: platform restore <file> --data-dir <folder>',
  database_unavailable: 'see whether PLATFORM_DATABASE_URL is right and that server runs',
  config_invalid: 'see what is set with: env | grep ^PLATFORM_',
  bus_unavailable: 'see whether PLATFORM_BUS_URL is right and that server runs',
  database: 'see whether PLATFORM_DATABASE_URL is right and that server runs',
  bus: 'see whether PLATFORM_BUS_URL is right and that server runs',
  unanswered: 'see whether PLATFORM_DATABASE_URL and PLATFORM_BUS_URL are right and those servers run',
  database_busy: 'try again in a moment',
  disk_full: 'make room on the disk of the data folder and try again; see how full it is with: platform doctor',
  disk_low: 'make room on the disk of the data folder, or lower PLATFORM_MIN_FREE_BYTES; see how full it is with: platform doctor',
  quota_exceeded: 'show your usage with: platform member usage; delete sessions with: platform chat delete <session>',
  rate_limited: 'try again when the time is over that it names; see the limit with: platform config',
  schema_newer:
    'update the program and start it: git pull && npm ci && npx platform serve; or go on elsewhere with a backup of this version: platform restore <file> --data-dir <folder>',
  secret_key_missing: 'give the key of this installation by PLATFORM_SECRET_KEY or PLATFORM_SECRET_KEY_FILE',
  secret_key_wrong: 'give the key with which this data was written by PLATFORM_SECRET_KEY or PLATFORM_SECRET_KEY_FILE',
  operation_not_found: 'see what there is with: platform call',
  plugin_not_found: 'see which there are with: platform call plugins.list',
  extension_unavailable: 'see what is wrong with: platform doctor',
  extension_failed:
    'start it again with: platform call plugins.enable --json \'{"name":"<extension>"}\'; its log: platform call plugins.get --json \'{"name":"<extension>"}\'',
  plugin_not_contained: 'see which walls do not hold with: platform doctor',
  signature_missing: 'sign it with: platform extension sign <ZIP>, or name a platform that has it with: --url <address>',
  signature_untrusted: 'see which keys a platform trusts with: platform extension keys',
  engine_unavailable:
    'start Docker, or name another engine with: PLATFORM_DOCKER_HOST=tcp://<host>:2376; see which one is set with: platform config',
  backup_not_found: 'see which the server has made with: platform call backups.list',
  bundle_unreadable: 'name the folder of an extension, or a ZIP made by: platform extension pack <folder>',
  channel_not_set_up: 'see what it needs with: platform call notifications.channels; save it with: platform notification choose',
  member_not_found: 'see which there are with: platform member list',
  node_not_found: 'see which there are with: platform node list',
  schedule_not_found: 'see which there are with: platform schedule list',
  session_not_found: 'see which there are with: platform chat sessions',
  source_unavailable: 'see what is set with: platform config --json key,value',
  key_unreadable: 'name a key with: --key <file>; openssl genpkey -algorithm ed25519 makes one',
  node_version: 'install Node 20.19 or later',
};

/** Returns what helps against a code; undefined if nothing does, or if it needs the name of an extension and none is given. */
export function fixOf(code: string, extension?: string): string | undefined {
  const fix = Object.hasOwn(fixes, code) ? fixes[code] : undefined;
  if (!fix?.includes('<extension>')) return fix;
  return extension === undefined ? undefined : fix.replaceAll('<extension>', extension);
}
