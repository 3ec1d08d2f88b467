import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { shellFor } from '../../cli/shell.js';
import { packed } from '../../examples/world.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword } from '../../helpers/platform.js';
import { logIn, openBrowser, openPerson } from '../../helpers/web.js';

const id = 'acme.webhooks';

t.test(
  "a plugin's page appears in open tabs when it is installed, works, and goes with it",
  { skip: skipWithout('chromium') },
  async (t) => {
    const shell = await shellFor(t, { PLATFORM_PLUGINS_TRUSTED: id });
    const done = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await shell.run(args);
      t.equal(code, 0, `${args.join(' ')}: ${stderr}`);
      return stdout;
    };
    const { url } = await shell.serve(t);
    const person = await openPerson(await openBrowser(t), url);
    const page = await person.tab();
    await logIn(page, 'admin', adminPassword);
    const entry = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Hooks' });
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    t.equal(await entry.count(), 0);

    const zip = join(shell.env.HOME ?? '', 'webhooks.zip');
    await writeFile(zip, await packed(t, id));
    const { version } = JSON.parse(await done('extension', 'publish', zip, '--no-sign', '--json')) as { version: string };
    await done('extension', 'approve', id, version);
    await done('extension', 'install', id, '--accept-permissions', '--yes');
    const installed = performance.now();
    await entry.waitFor();
    t.comment(`in the navigation ${Math.round(performance.now() - installed)} ms after the installation`);
    await entry.click();
    await page.getByText('Nothing here').waitFor();

    const { id: session_id } = JSON.parse(await done('chat', 'open', 'CI', '--json')) as { id: string };
    await page.getByRole('button', { name: 'new hook' }).click();
    const form = page.getByRole('dialog', { name: 'new hook' });
    await form.getByLabel(/^session/i).fill(session_id);
    await form.getByLabel(/^name/i).fill('CI');
    await form.getByRole('button', { name: 'new hook' }).click();
    await page
      .getByRole('dialog')
      .getByText(/\/api\/x\/acme\.webhooks\//)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /CI/ }).waitFor();

    await done('extension', 'rm', id, '--yes');
    const removed = performance.now();
    await page.getByText('This page has gone').waitFor();
    t.comment(`gone ${Math.round(performance.now() - removed)} ms after the removal`);
    t.equal(await entry.count(), 0);
    t.same(person.faults, []);
  },
);
