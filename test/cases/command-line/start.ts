import type { CommandCase } from './case.js';

const gh = 'GNU Coding Standards, Command-Line Interfaces: --version';
const stranger = 'HOME=/nonexistent setpriv --reuid 65534 --regid 65534 --clear-groups';

/** How the program is started, and what it says of itself. */
export const startCases: readonly CommandCase[] = [
  {
    name: 'npx starts the built program, also for a user who may write nothing',
    source: 'docs/getting-started.md: npx platform runs the built program',
    place: 'nothing',
    needs: 'root',
    line: `touch stamp; from=$PWD; cd "$ROOT"; ${stranger} npx --offline platform version && test -z "$(find dist -newer "$from/stamp" | head -1)"`,
    code: 0,
    shows: [/^platform \d+\.\d+\.\d+$/m],
    lacks: ['npm error', 'npm notice'],
  },
  {
    name: '--version prints the version',
    source: gh,
    place: 'nothing',
    line: 'platform --version',
    code: 0,
    shows: [/^platform \d+\.\d+\.\d+\n$/],
  },
  { name: '-V prints the version', source: gh, place: 'nothing', line: 'platform -V', code: 0, shows: [/^platform \d+\.\d+\.\d+\n$/] },
  {
    name: 'a subcommand accepts --version too',
    source: gh,
    place: 'nothing',
    line: 'platform member list --version',
    code: 0,
    shows: [/^platform \d+\.\d+\.\d+\n$/],
  },
  {
    name: 'a first start on a terminal shows lines for people',
    source: 'https://clig.dev/#output: human-readable on a terminal',
    place: 'nothing',
    env: { PLATFORM_ADMIN_PASSWORD: '', PLATFORM_DATA_DIR: './first' },
    line: 'timeout -s INT 5 platform serve; true',
    terminal: { columns: 80, rows: 24 },
    code: 0,
    shows: ['listening on http', 'Welcome', 'password'],
    lacks: ['{"level"', 'migrations ran'],
  },
  {
    name: 'migrations that ran are logged at debug',
    source: 'docs/reference/settings.md: PLATFORM_LOG_LEVEL',
    place: 'nothing',
    line: `for level in info debug; do PLATFORM_DATA_DIR=./$level platform serve --log-level $level > out 2> log & until grep -q listening out; do sleep 0.1; done; kill $!; wait; echo "$level: $(grep -c 'migrations ran' log)"; done`,
    code: 0,
    shows: ['info: 0', /debug: [1-9]/],
  },
  {
    name: 'a hint names the command that works in a clone',
    source: 'docs/getting-started.md: npx platform runs the built program',
    place: 'nothing',
    line: 'cd "$ROOT"; npx --offline platform whoami --url http://127.0.0.1:1',
    code: 6,
    shows: ['hint: start it with: npx platform serve'],
  },
  {
    name: 'the example of a help text names that command too',
    source: 'docs/getting-started.md: npx platform runs the built program',
    place: 'nothing',
    line: 'cd "$ROOT"; npx --offline platform member create --help',
    code: 0,
    shows: ['Usage: npx platform member create', '  $ npx platform member create'],
  },
  {
    name: 'hints and help of an installed program begin with platform',
    source: 'https://clig.dev/#help: examples that can be pasted',
    place: 'nothing',
    line: 'platform whoami --url http://127.0.0.1:1; platform member create --help',
    code: 0,
    shows: ['hint: start it with: platform serve', 'Usage: platform member create'],
    lacks: ['npx'],
  },
];
