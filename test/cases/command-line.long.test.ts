import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { main, Running, type Shell, script, shellFor, withoutTerminal } from '../cli/shell.js';
import type { CommandCase } from './command-line/case.js';
import { outputCases } from './command-line/output.js';
import { placeCases } from './command-line/places.js';
import { questionCases } from './command-line/questions.js';
import { startCases } from './command-line/start.js';

const tables: Readonly<Record<string, readonly CommandCase[]>> = {
  output: outputCases,
  places: placeCases,
  questions: questionCases,
  start: startCases,
};

/** Seconds after which a line has hung. */
const limit = '30';

t.setTimeout(180_000);

interface Place {
  shell: Shell;
  url: string;
}

/** The places in which lines are run; each is made once. */
async function places(t: Test): Promise<Record<CommandCase['place'], Place>> {
  const [server, folder, nothing] = [await shellFor(t, { PLATFORM_FETCH_ALLOW: 'localhost' }), await shellFor(t), await shellFor(t)];
  const { url } = await server.serve(t);
  await folder.install();
  return { server: { shell: server, url }, folder: { shell: folder, url: '' }, nothing: { shell: nothing, url: '' } };
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

function skipOf({ terminal, needs }: CommandCase): string | false {
  if (needs === 'root' && process.getuid?.() !== 0) return 'needs root';
  return terminal ? withoutTerminal : false;
}

t.test('lines that a person types, and what comes of them', async (t) => {
  const at = await places(t);
  for (const [field, cases] of Object.entries(tables)) {
    await t.test(field, async (t) => {
      for (const one of cases) {
        await t.test(one.name, { skip: skipOf(one) }, async (t) => {
          const { code, output } = await runLine(at[one.place], one);
          t.equal(code, one.code, output);
          for (const text of one.shows ?? []) t.match(output, text);
          for (const text of one.lacks ?? []) t.notMatch(output, text);
        });
      }
    });
  }
});
