import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import t, { type Test } from 'tap';
import { main, Running, type Shell, script, shellFor, withoutTerminal } from '../../cli/shell.js';
import { freshPostgres } from '../../helpers/databases.js';
import { skipWithout } from '../../helpers/parts.js';
import { type CommandCase, databasePassword } from './case.js';

/** Seconds after which a line has hung. */
const limit = '30';

interface Place {
  shell: Shell;
  url: string;
}

/** Runs each line of a table as a test of its own. Makes each place that the table needs once. */
export function testLines(field: string, cases: readonly CommandCase[]): void {
  t.setTimeout(180_000);
  t.test(field, async (t) => {
    const places: Partial<Record<CommandCase['place'], Promise<Place>>> = {};
    for (const one of cases) {
      const skip = skipReason(one);
      if (skip === false) places[one.place] ??= makers[one.place](t);
      const place = await places[one.place];
      await t.test(one.name, { skip }, async (t) => {
        if (!place) return;
        const { code, output } = await runLine(place, one);
        t.equal(code, one.code, output);
        for (const text of one.shows ?? []) t.match(output, text);
        for (const text of one.lacks ?? []) t.notMatch(stripVTControlCharacters(output), text);
      });
    }
  });
}

const makers: Readonly<Record<CommandCase['place'], (t: Test) => Promise<Place>>> = {
  async server(t) {
    const shell = await shellFor(t, { PLATFORM_FETCH_ALLOW: 'localhost' });
    return { shell, url: (await shell.serve(t)).url };
  },
  async folder(t) {
    const shell = await shellFor(t);
    return { shell: await shell.install(), url: '' };
  },
  async nothing(t) {
    return { shell: await shellFor(t), url: '' };
  },
  async database(t) {
    const shell = await shellFor(t, { PLATFORM_DATABASE_URL: await databaseWithPassword() });
    return { shell: await shell.install(), url: '' };
  },
  async 'empty database'(t) {
    return { shell: await shellFor(t, { PLATFORM_DATABASE_URL: await databaseWithPassword() }), url: '' };
  },
};

/** The test's server lets everybody in, whatever password comes. */
async function databaseWithPassword(): Promise<string> {
  const url = new URL(await freshPostgres());
  if (url.password === '') url.password = databasePassword;
  return url.href;
}

async function runLine({ shell, url }: Place, { line, env = {}, terminal, typed = '' }: CommandCase) {
  const home = shell.env.HOME ?? '';
  const bin = join(home, 'bin');
  await mkdir(bin, { recursive: true });
  await symlink(main, join(bin, 'platform')).catch(() => undefined);
  const cwd = await mkdtemp(join(home, 'case-'));
  const all = { ...shell.env, PATH: `${bin}:${shell.env.PATH}`, DATA: shell.data_dir, URL: url, ROOT: process.cwd(), ...env };
  const on = terminal && `stty cols ${terminal.columns} rows ${terminal.rows}; ${line}`;
  const [program, args] =
    on === undefined ? ['timeout', [limit, '/bin/sh', '-c', line]] : ['timeout', [limit, script, '-qfec', on, '/dev/null']];
  const given = Object.fromEntries(Object.entries({ TERM: 'xterm', SHELL: '/bin/sh', ...all }).filter(([, value]) => value !== ''));
  const running = new Running(spawn(program, args, { env: given, cwd }));
  running.child.stdin?.end(typed);
  const { code, stdout, stderr } = await running.ended;
  return { code, output: stdout + stderr };
}

function skipReason({ place, terminal, needs }: CommandCase): string | false {
  const withoutServer = place.endsWith('database') ? skipWithout('postgres') : false;
  if (withoutServer !== false) return withoutServer;
  if (needs === 'root' && process.getuid?.() !== 0) return 'needs root';
  return terminal ? withoutTerminal : false;
}
