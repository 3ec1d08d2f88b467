/**
 * `npm run pictures -- [name …]`: takes the pictures of the documentation anew, into `docs/images/web`. It starts a server, fills it with an
 * organisation, lets a scripted model answer, and looks at it with Chromium. A built `dist` and Chromium are needed.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { startModel } from './model.mjs';
import { makeOrganisation } from './organisation.mjs';
import { small } from './png.mjs';
import { rules } from './rules.mjs';
import { host, password, startServer } from './server.mjs';
import { shots } from './shots.mjs';

const folder = resolve(import.meta.dirname, '..', '..', 'docs', 'images', 'web');

async function main(names) {
  await mkdir(folder, { recursive: true });
  const model = await startModel(rules);
  const server = await startServer({
    PLATFORM_MODEL_BASE_URL: model.url,
    PLATFORM_MODEL_NAME: 'qwen3:32b',
    PLATFORM_BASE_URL: `http://${host}`,
  });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${host}:80 ${new URL(server.url).host}`],
  });
  const windows = new Map();
  const world = { ...server, host, model: model.url };
  try {
    for (const shot of shots) {
      if (!shot.isNew && !world.as) Object.assign(world, await makeOrganisation(server));
      const page = await windowFor(browser, windows, shot);
      const place = (await shot.show(page, world)) ?? page;
      // Scripts and styles that move have ended by then; the caret is hidden by the screenshot itself.
      await page.waitForTimeout(600);
      const picture = await small(await place.screenshot());
      if (names.length === 0 || names.includes(shot.name)) await writeFile(join(folder, `${shot.name}.png`), picture);
      console.log(`${shot.name}.png ${Math.round(picture.length / 1_000)} kB`);
    }
  } finally {
    await browser.close();
    await server.close();
    model.close();
  }
}

/** Returns the page of the shot's member, who logs in once. A shot without a member gets an empty page. */
async function windowFor(browser, windows, { member = '', size, theme = 'light' }) {
  const key = `${member} ${theme}`;
  if (!windows.has(key)) {
    const context = await browser.newContext({
      ...{ baseURL: `http://${host}`, locale: 'en-GB', timezoneId: 'Europe/London', reducedMotion: 'reduce', colorScheme: theme },
    });
    const page = await context.newPage();
    if (member !== '') await logInByForm(page, member);
    windows.set(key, page);
  }
  const page = windows.get(key);
  if (size) await page.setViewportSize(size);
  return page;
}

async function logInByForm(page, username) {
  await page.goto('/');
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation').first().waitFor();
}

await main(process.argv.slice(2));
