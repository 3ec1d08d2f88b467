import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import t from 'tap';
import { pack } from '../../../../kernel/platform/bundles/pack.js';
import { becomes } from '../../../helpers/eventually.js';
import { callTools, type Exchange, type ModelServer, type ScriptedCall, say } from '../../../helpers/model-server.js';
import { startPlatform, temporaryFolder } from '../../../helpers/platform.js';
import { administrator, withModel } from '../../chat/world.js';
import { ask, pair } from '../world.js';
import { install, tidied, withMarket } from './world.js';

/** A skill that others have published, with its references: a package of the tests brings it. */
const name = 'playwright-cli';
const source = join(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')), 'lib/tools/skills', name);

const toldLast = ({ body }: Exchange) => String(body.messages.findLast(({ role }) => role === 'tool')?.content);

/** Has the model read on, as long as what it was told says that there is more; `take` gets each page. */
function readAll(model: ModelServer, first: ScriptedCall, take: (page: string) => void): void {
  const next = async (exchange: Exchange): Promise<void> => {
    const told = toldLast(exchange);
    const [end = '', input] = /\n\[… \d+ more bytes: continue with read_skill_file (\{.*\}) …\]$/.exec(told) ?? [];
    take(told.slice(0, told.length - end.length));
    const wanted = input === undefined ? say('Done.') : callTools([{ name: 'read_skill_file', arguments: input }]);
    model.script(input === undefined ? say('Done.') : next);
    await wanted(exchange);
  };
  model.script(callTools([first]), next);
}

t.test('published third-party skills are packed, installed and read unchanged and in full', async (t) => {
  const folder = join(await temporaryFolder(t), name);
  await cp(source, folder, { recursive: true });
  const manifest = { id: 'playwright.cli', name, type: 'skill', version: '1.0.0', description: 'Browsers.', author: 'Playwright' };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const { file } = await pack(folder, { file: `${folder}.zip` });
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, { ...options, ...withMarket });
  tidied(t, platform);
  const { ada, target_id } = await pair(t, platform, 'autonomous');
  await install(platform, await readFile(file));
  const skills = async () => (await administrator(platform).members.list_virtual({})).find(({ id }) => id === target_id)?.skills;
  await becomes(t, skills, [name]);

  const read = async (call: ScriptedCall): Promise<string> => {
    const pages: string[] = [];
    readAll(model, call, (page) => pages.push(page));
    await ask(ada.direct, { content: 'Read it', target_id });
    return pages.join('');
  };
  const text = await readFile(join(source, 'SKILL.md'), 'utf8');
  const body = text.slice(text.indexOf('\n---\n') + 5).trimStart();
  t.ok(body.length > 12_000, 'the text is longer than a model gets at once');
  const told = await read({ name: 'use_skill', arguments: { name } });
  t.ok(told.endsWith(`Its instructions:\n\n${body}`), 'the result ends with its instructions');
  t.match(told, /written for these tools, which it does not include: Bash\(playwright-cli:\*\), Bash\(npx playwright:\*\), /);
  for (const reference of await readdir(join(source, 'references'))) {
    const path = `references/${reference}`;
    t.match(told, `- ${path} (`);
    t.equal(await read({ name: 'read_skill_file', arguments: { skill: name, path } }), await readFile(join(source, path), 'utf8'), path);
  }
});
