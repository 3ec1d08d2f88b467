/**
 * `npm run dev`: serves the platform and, whenever a source for browsers changes, builds it and reloads its extension, which replaces its
 * pages in open tabs as in production. Arguments are those of `platform serve`.
 */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { assemble } from '../esbuild.config.mjs';

const root = resolve(import.meta.dirname, '..');
const program = join(root, 'dist', 'cli', 'main.js');
/** Time to gather the changes of an editor that writes several files. */
const gather_ms = 150;

const server = spawn(process.execPath, [program, 'serve', ...process.argv.slice(2)], { stdio: 'inherit', cwd: root });
server.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));

const changed = new Set();
let timer;
let building = Promise.resolve();

function onChange(extension) {
  changed.add(extension);
  clearTimeout(timer);
  timer = setTimeout(() => {
    building = building.then(rebuild);
  }, gather_ms);
}

async function rebuild() {
  const extensions = [...changed];
  changed.clear();
  try {
    await assemble(root);
    for (const extension of extensions) await run(['call', 'plugins.reload', '--name', extension]);
  } catch (error) {
    // A half-written source: the tabs keep what they have.
    console.error(error instanceof Error ? error.message : error);
  }
}

function run(words) {
  return new Promise((done) => spawn(process.execPath, [program, ...words], { stdio: 'inherit', cwd: root }).on('exit', done));
}

watch(join(root, 'web'), { recursive: true }, () => onChange('web'));
for (const { name } of await readdir(join(root, 'extensions'), { withFileTypes: true })) {
  watch(join(root, 'extensions', name), { recursive: true }, (_event, file) => {
    if (file?.split(sep)[0] === 'web') onChange(name);
  });
}
