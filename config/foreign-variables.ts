/** Variables of the command line, which are no settings of a server. */
const ofCommandLine = ['PLATFORM_CONFIG', 'PLATFORM_URL', 'PLATFORM_TOKEN', 'PLATFORM_PROFILE'];

/** Variables of `deploy/compose.yaml`, whose `.env` may be given to a server whole, and of the commands that run on work nodes. */
const ofDeployment = ['PLATFORM_PUBLISH', 'PLATFORM_1', 'PLATFORM_2', 'PLATFORM_3', 'PLATFORM_CALL'];

/** Variables that the hosting service Upsun (Platform.sh) gives to every program; nobody there can take them away. */
const ofUpsun = [
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

const named: ReadonlySet<string> = new Set([...ofCommandLine, ...ofDeployment, ...ofUpsun]);

/**
 * Kubernetes and Docker's old links tell each container of the services beside it. Those of a service `platform`, or `platform-db`, have
 * our prefix: `PLATFORM_SERVICE_HOST`, `PLATFORM_DB_SERVICE_PORT_HTTP`, `PLATFORM_PORT_8080_TCP_ADDR`.
 */
const serviceLink = /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;
/** `PLATFORM_PORT=tcp://10.96.0.7:8080` is one too, under the name of a setting. */
const linkAddress = /^(?:tcp|udp|sctp):\/\/[\d.:[\]a-f]+:\d+$/i;

/** Whether a variable tells of a service beside this one. */
export function isServiceLink(name: string, value: string): boolean {
  return serviceLink.test(name) || (name.endsWith('_PORT') && linkAddress.test(value));
}

/** Whether a variable with our prefix is no setting, but known all the same. */
export function isForeign(name: string, value: string): boolean {
  return named.has(name) || name.startsWith('PLATFORM_TEST_') || isServiceLink(name, value);
}

/** Variables that people set and that are no settings: what a mistyped name is compared with, too. */
export const commandLineVariables: readonly string[] = ofCommandLine;
