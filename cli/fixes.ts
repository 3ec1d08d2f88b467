/** Commands that fix a failure or a failed check, by its code. */
const fixes: Readonly<Record<string, string>> = {
  unauthenticated: 'log in with: platform login',
  invalid_token: 'log in again with: platform login',
  invalid_credentials: 'try again with: platform login --username <name>',
  unreachable: 'start it with: platform serve, or choose another one with: --url <address>',
  unexpected_answer: 'check the address given by --url or the profile',
  port_in_use: 'choose another port with: platform serve --port 0',
  port_forbidden: 'choose a port above 1023 with: platform serve --port 8080',
  address_unavailable: 'listen on this machine only with: platform serve --host 127.0.0.1',
  data_dir_unwritable: 'choose a folder that you may write to with: platform serve --data-dir <folder>',
  data_dir_locked: 'stop the process that has locked it, or use another folder with: --data-dir <folder>',
  database_corrupt: 'the damaged file was not changed; restore a backup with: platform restore <file> --data-dir <folder>',
  database_unavailable: 'check that PLATFORM_DATABASE_URL is right and that its server is running',
  config_invalid: 'check the environment with: env | grep ^PLATFORM_',
  bus_unavailable: 'check that PLATFORM_BUS_URL is right and that its server is running',
  database: 'check that PLATFORM_DATABASE_URL is right and that its server is running',
  bus: 'check that PLATFORM_BUS_URL is right and that its server is running',
  unanswered: 'check that PLATFORM_DATABASE_URL and PLATFORM_BUS_URL are right and that their servers are running',
  database_busy: 'try again in a moment',
  disk_full: 'free space on the disk of the data folder and try again; see how full it is with: platform doctor',
  disk_low: 'free space on the disk of the data folder, or lower PLATFORM_MIN_FREE_BYTES; see how full it is with: platform doctor',
  quota_exceeded: 'show your usage with: platform member usage; delete sessions with: platform chat delete <session>',
  rate_limited: 'try again after the time that the message names; see the limit with: platform config',
  schema_newer:
    'install the newer version of the program and start it; or restore a backup of this version elsewhere: platform restore <file> --data-dir <folder>',
  secret_key_missing: 'set the key of this installation in PLATFORM_SECRET_KEY or PLATFORM_SECRET_KEY_FILE',
  secret_key_wrong: 'set the key that this data was written with in PLATFORM_SECRET_KEY or PLATFORM_SECRET_KEY_FILE',
  operation_not_found: 'list operations with: platform call',
  plugin_not_found: 'list plugins with: platform call plugins.list',
  extension_unavailable: 'see what is wrong with: platform doctor',
  extension_failed:
    'start it again with: platform call plugins.enable --json \'{"name":"<extension>"}\'; its log: platform call plugins.get --json \'{"name":"<extension>"}\'',
  permissions_not_accepted: 'if it may have these permissions, run the command again with: --accept-permissions',
  plugin_not_contained: 'see which parts of the sandbox are missing with: platform doctor',
  signature_missing: 'sign it with: platform extension sign <ZIP>, or name a platform that has published it with: --url <address>',
  signature_untrusted: 'see which keys a platform trusts with: platform extension keys',
  engine_unavailable:
    'start Docker, or name another engine with: PLATFORM_DOCKER_HOST=tcp://<host>:2376; see which one is set with: platform config',
  backup_not_found: 'list the backups on the server with: platform call backups.list',
  bundle_unreadable: 'name the folder of an extension, or a ZIP made by: platform extension pack <folder>',
  channel_not_set_up: 'see what it needs with: platform call notifications.channels; save it with: platform notification choose',
  member_not_found: 'list members with: platform member list',
  node_not_found: 'list nodes with: platform node list',
  schedule_not_found: 'list schedules with: platform schedule list',
  session_not_found: 'list sessions with: platform chat sessions',
  source_unavailable: 'check the settings with: platform config --json key,value',
  key_unreadable: 'name a key with: --key <file>; create one with openssl genpkey -algorithm ed25519',
  node_version: 'install Node 20.19 or later',
};

/** Returns the fix for a code; undefined if there is none, or if it needs the name of an extension and none is passed. */
export function fixOf(code: string, extension?: string): string | undefined {
  const fix = Object.hasOwn(fixes, code) ? fixes[code] : undefined;
  if (!fix?.includes('<extension>')) return fix;
  return extension === undefined ? undefined : fix.replaceAll('<extension>', extension);
}
