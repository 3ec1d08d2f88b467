/** Variables, or a settings file, and what is said of them; nothing if they are accepted. */
export interface SettingsCase {
  name: string;
  source: string;
  env?: Readonly<Record<string, string>>;
  file?: object;
  /** A part of each fault's sentence, by its path. */
  faults?: Readonly<Record<string, string>>;
  port?: number;
}

const links = 'kubernetes.io: Service, environment variables';

export const settingsCases: readonly SettingsCase[] = [
  {
    name: 'a mistyped variable is refused with the nearest name',
    source: 'the rule for variables with our prefix',
    env: { PLATFORM_PROT: '3' },
    faults: { PLATFORM_PROT: 'Did you mean PLATFORM_PORT?' },
  },
  {
    name: 'every mistyped variable is named at once',
    source: 'the rule for variables with our prefix',
    env: { PLATFORM_DATADIR: '/x', PLATFORM_SEAT: '3', PLATFORM_SMTPHOST: 'x' },
    faults: {
      PLATFORM_DATADIR: 'Did you mean PLATFORM_DATA_DIR?',
      PLATFORM_SEAT: 'Did you mean PLATFORM_SEATS?',
      PLATFORM_SMTPHOST: 'Did you mean PLATFORM_SMTP_HOST?',
    },
  },
  {
    name: 'a mistyped variable of the command line is refused too',
    source: 'cli.github.com: manual, environment',
    env: { PLATFORM_TOKN: 'x' },
    faults: { PLATFORM_TOKN: 'Did you mean PLATFORM_TOKEN?' },
  },
  {
    name: 'only secrets are read from a file that a variable names',
    source: 'docker-library/postgres: _FILE',
    env: { PLATFORM_PORT_FILE: '/run/secrets/port' },
    faults: { PLATFORM_PORT_FILE: 'Only secrets can be read from files: set PLATFORM_PORT' },
  },
  {
    name: 'a variable without a similar name is refused without a suggestion',
    source: 'the rule for variables with our prefix',
    env: { PLATFORM_XYZZY: '1' },
    faults: { PLATFORM_XYZZY: 'not a known setting' },
  },
  {
    name: 'an empty variable counts as not set, whatever its name',
    source: 'docs.docker.com: Compose, interpolation',
    env: { PLATFORM_PROT: '' },
  },
  {
    name: 'variables of the command line are known',
    source: 'the command line’s own variables',
    env: { PLATFORM_URL: 'http://127.0.0.1:8080', PLATFORM_TOKEN: 'plat_x', PLATFORM_PROFILE: 'work' },
  },
  {
    name: 'variables of the compose file and of work nodes are known',
    source: 'deploy/compose.yaml',
    env: { PLATFORM_PUBLISH: '8080', PLATFORM_1: 'platform-1:8080', PLATFORM_CALL: 'x' },
  },
  {
    name: 'the variables that Kubernetes sets for a service called platform are ignored',
    source: 'elastic/cloud-on-k8s#1987',
    env: {
      PLATFORM_SERVICE_HOST: '10.96.0.7',
      PLATFORM_SERVICE_PORT: '8080',
      PLATFORM_SERVICE_PORT_HTTP: '8080',
      PLATFORM_PORT: 'tcp://10.96.0.7:8080',
      PLATFORM_PORT_8080_TCP: 'tcp://10.96.0.7:8080',
      PLATFORM_PORT_8080_TCP_PROTO: 'tcp',
      PLATFORM_PORT_8080_TCP_PORT: '8080',
      PLATFORM_PORT_8080_TCP_ADDR: '10.96.0.7',
    },
    port: 8080,
  },
  {
    name: 'the variables that Kubernetes sets for services named platform-… are ignored, on IPv6 too',
    source: 'sequinstream/sequin#2155',
    env: {
      PLATFORM_DB_SERVICE_HOST: 'fd00::7',
      PLATFORM_DB_SERVICE_PORT: '5432',
      PLATFORM_DB_PORT: 'tcp://[fd00::7]:5432',
      PLATFORM_DB_PORT_5432_TCP: 'tcp://[fd00::7]:5432',
      PLATFORM_SMTP_PORT: 'tcp://10.96.0.9:25',
      PLATFORM_DNS_PORT_53_UDP_ADDR: '10.96.0.10',
    },
  },
  {
    name: 'a port that is neither a number nor a Kubernetes service is rejected',
    source: links,
    env: { PLATFORM_PORT: 'http://10.96.0.7:8080' },
    faults: { port: 'expected an integer' },
  },
  {
    name: 'the variables of Upsun are known',
    source: 'docs.upsun.com: provided environment variables',
    env: { PLATFORM_BRANCH: 'main', PLATFORM_APP_DIR: '/app', PLATFORM_PROJECT: 'x', PLATFORM_TREE_ID: 'y' },
  },
  {
    name: "variables without the platform's prefix are ignored",
    source: 'the rule for variables with our prefix',
    env: { PLATFORMS: '1', MY_PLATFORM_PROT: '2', PLATFORMSH_CLI_TOKEN: '3' },
  },
  {
    name: 'a mistyped key of a file is refused with the nearest name',
    source: 'loonfs/loonfs#535',
    file: { prot: 3, members: { seat: 5 }, membrs: { access_ttl_s: 60 } },
    faults: {
      prot: 'Did you mean port?',
      'members.seat': 'Did you mean members.seats?',
      'membrs.access_ttl_s': 'Did you mean members.access_ttl_s?',
    },
  },
];
