import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../helpers/eventually.js';
import { adminPassword, temporaryFolder } from '../helpers/platform.js';
import { shellFor } from './shell.js';

/** Modules that must load on first use only: documentation, databases that aren't configured, models, hashes, outgoing calls. */
const late = [
  '@hapi/inert',
  '@hapi/jwt',
  '@hapi/vision',
  '@node-rs/argon2',
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace',
  'dockerode',
  'esbuild',
  'hapi-swagger',
  'htmlparser2',
  'ioredis',
  'mammoth',
  'markdown-it',
  'nodemailer',
  'openai',
  'pdfjs-dist',
  'pg',
  'saxes',
  'sequelize',
  'umzug',
  'undici',
  'yaml',
  'yauzl',
  'yazl',
];

/** Makes a preload for Node that notes every module's file; gives its flag, and the packages that were loaded so far. */
async function watchModules(t: Test): Promise<{ flag: string; packages: () => string[] }> {
  const folder = await temporaryFolder(t);
  const seen = join(folder, 'seen');
  writeFileSync(seen, '');
  const note = `import { appendFileSync } from 'node:fs';\nconst note = (file) => appendFileSync(${JSON.stringify(seen)}, file + '\\n');\n`;
  writeFileSync(
    join(folder, 'hooks.mjs'),
    `${note}export async function load(url, context, next) {\n  note(url);\n  return next(url, context);\n}\n`,
  );
  writeFileSync(
    join(folder, 'register.mjs'),
    `${note}import Module, { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n` +
      `const extensions = Module._extensions;\nfor (const kind of ['.js', '.node']) {\n` +
      '  const load = extensions[kind];\n  extensions[kind] = (module, file) => {\n    note(file);\n    return load(module, file);\n  };\n}\n',
  );
  const packages = () => {
    const found = [...readFileSync(seen, 'utf8').matchAll(/.*\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//g)].map(
      ([, name]) => name as string,
    );
    return [...new Set(found)].sort();
  };
  return { flag: `--import=${join(folder, 'register.mjs')}`, packages };
}

t.test('an unused server has loaded no optional modules', async (t) => {
  const shell = await shellFor(t);
  // The first start runs the migrations.
  const first = await shell.serve(t);
  first.child.kill('SIGTERM');
  await first.ended;
  const { flag, packages } = await watchModules(t);
  const server = await shell.with({ NODE_OPTIONS: flag }).serve(t);
  t.equal((await fetch(`${server.url}/healthz`)).status, 200);
  const loaded = packages();
  t.ok(loaded.includes('@hapi/hapi') && loaded.includes('sqlite3'), 'the list of loaded modules contains those of the server');
  t.same(
    late.filter((name) => loaded.includes(name)),
    [],
  );

  t.equal((await fetch(`${server.url}/openapi.json`)).status, 200);
  await until(packages, (names) => names.includes('hapi-swagger'));
  const login = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  };
  t.equal((await fetch(`${server.url}/api/auth/login`, login)).status, 200);
  await until(packages, (names) => names.includes('@node-rs/argon2') && names.includes('@hapi/jwt'));
});
