/** Variables of the command line, which are not server settings. */
const cliVariables = ['PLATFORM_CONFIG', 'PLATFORM_URL', 'PLATFORM_TOKEN', 'PLATFORM_PROFILE'];

/** Variables of `deploy/compose.yaml`, whose `.env` may be passed to a server as a whole, and of commands on work nodes. */
const deploymentVariables = ['PLATFORM_PUBLISH', 'PLATFORM_1', 'PLATFORM_2', 'PLATFORM_3', 'PLATFORM_CALL'];

/** Variables that the hosting service Upsun (Platform.sh) sets for every program; its users can't unset them. */
const upsunVariables = [
  'PLATFORM_APPLICATION',
  'PLATFORM_APPLICATION_NAME',
  'PLATFORM_APP_COMMAND',
  'PLATFORM_APP_DIR',
  'PLATFORM_BRANCH',
  'PLATFORM_CACHE_DIR',
  'PLATFORM_DIR',
  'PLATFORM_DOCUMENT_ROOT',
  'PLATFORM_ENVIRONMENT',
  'PLATFORM_ENVIRONMENT_TYPE',
  'PLATFORM_OUTPUT_DIR',
  'PLATFORM_PROJECT',
  'PLATFORM_PROJECT_ENTROPY',
  'PLATFORM_RELATIONSHIPS',
  'PLATFORM_ROUTES',
  'PLATFORM_SOURCE_DIR',
  'PLATFORM_TREE_ID',
  'PLATFORM_VARIABLES',
];

const foreignVariables: ReadonlySet<string> = new Set([...cliVariables, ...deploymentVariables, ...upsunVariables]);

/**
 * Matches service variables that Kubernetes and Docker's legacy links set in each container. Those of a service `platform`, or
 * `platform-db`, have our prefix: `PLATFORM_SERVICE_HOST`, `PLATFORM_DB_SERVICE_PORT_HTTP`, `PLATFORM_PORT_8080_TCP_ADDR`.
 */
const serviceLink = /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;
/** Matches the value of a service variable that has the name of a setting: `PLATFORM_PORT=tcp://10.96.0.7:8080`. */
const linkAddress = /^(?:tcp|udp|sctp):\/\/[\d.:[\]a-f]+:\d+$/i;

/** Returns whether a variable describes another service. */
export function isServiceLink(name: string, value: string): boolean {
  return serviceLink.test(name) || (name.endsWith('_PORT') && linkAddress.test(value));
}

/** Returns whether a variable with our prefix is known but not a setting. */
export function isForeign(name: string, value: string): boolean {
  return foreignVariables.has(name) || name.startsWith('PLATFORM_TEST_') || isServiceLink(name, value);
}

/** Variables that people set but that are not settings; also candidates for a mistyped name. */
export const commandLineVariables: readonly string[] = cliVariables;
