/**
 * `npm run design -- [folder]`: takes pictures of the sketches in `docs/design` and of all components of the web app, in both themes.
 * The components run under the app's own policy; whatever the policy or the page reports is printed.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { fitPackages } from '../web/packages.mjs';

const root = resolve(import.meta.dirname, '..');
const sketches = join(root, 'docs', 'design');
const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
const parts = ['controls', 'content', 'forms', 'layout', 'shell'];

const policyOf = (nonce) =>
  `default-src 'none'; connect-src 'self'; img-src 'self' blob: data:; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types app`;
const framePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'";

/** Serves the components at `/gallery`, the terminal's frame, and the files of the tree. */
export async function serveGallery() {
  const files = await bundle();
  const serve = async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const nonce = randomBytes(16).toString('base64url');
    const send = (type, body, policy) => {
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...(policy && { 'content-security-policy': policy }) });
      response.end(body);
    };
    const name = pathname.slice(1);
    if (pathname === '/gallery') return send('text/html', galleryPage(nonce), policyOf(nonce));
    if (pathname === '/assets/frames/terminal') return send('text/html', framePage, framePolicy);
    if (files.has(name)) return send(types[extname(name)], files.get(name));
    const found = await readFile(join(root, pathname)).catch(() => undefined);
    if (found !== undefined && !pathname.includes('..')) return send(types[extname(name)] ?? 'text/plain', found);
    response.writeHead(404).end();
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function bundle() {
  const kit = join(root, 'web', 'kit');
  const styles = ['tokens.css', 'base.css', ...(await readdir(join(kit, 'styles'))).map((name) => `styles/${name}`)];
  const { outputFiles } = await build({
    entryPoints: {
      gallery: join(root, 'web', 'gallery', 'main.tsx'),
      terminal: join(root, 'web', 'frames', 'terminal.ts'),
      styles: 'styles',
    },
    bundle: true,
    write: false,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    outdir: join(root, 'dist', 'gallery'),
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [fitPackages, stylesOf(kit, styles)],
    logLevel: 'silent',
  });
  return new Map(outputFiles.map(({ path, contents }) => [path.slice(join(root, 'dist', 'gallery').length + 1), contents]));
}

function stylesOf(folder, names) {
  return {
    name: 'styles',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^styles$/ }, () => ({ path: 'styles', namespace: 'styles' }));
      onLoad({ filter: /./, namespace: 'styles' }, () => ({
        contents: names.map((name) => `@import "./${name}";`).join('\n'),
        loader: 'css',
        resolveDir: folder,
      }));
    },
  };
}

const galleryPage = (nonce) => `<!doctype html>
<html lang="en" data-prefix="">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" nonce="${nonce}">
<title>Components</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/styles.css">
<script type="module" src="/gallery.js"></script>
<div id="app"></div>
</html>`;

const framePage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Terminal</title>
<link rel="stylesheet" href="/terminal.css"><script type="module" src="/terminal.js"></script><body></body></html>`;

/** Fills the places for icons in a sketch from the app's own vocabulary. */
async function fillIcons(page) {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createElement } from 'react'; import { renderToStaticMarkup } from 'react-dom/server';
        import { icons } from './web/kit/icons.js';
        export const drawn = Object.fromEntries(Object.entries(icons).map(([name, icon]) =>
          [name, renderToStaticMarkup(createElement(icon, { strokeWidth: 1.75 }))]));`,
      resolveDir: root,
      loader: 'tsx',
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(process.cwd() + '/');" },
    logLevel: 'silent',
  });
  const { drawn } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
  return page.evaluate((all) => {
    for (const place of document.querySelectorAll('svg[data-icon]')) {
      const made = new DOMParser().parseFromString(all[place.dataset.icon] ?? '', 'image/svg+xml').documentElement;
      for (const name of ['width', 'height']) made.setAttribute(name, place.getAttribute(name));
      place.replaceWith(made);
    }
  }, drawn);
}

async function main(folder) {
  await mkdir(folder, { recursive: true });
  const { address, close } = await serveGallery();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  for (const theme of ['light', 'dark']) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: theme });
    page.on('console', (message) => console.log(theme, message.type(), message.text()));
    page.on('pageerror', (error) => console.log(theme, error.message));
    const shoot = async (name, options) => writeFile(join(folder, `${name}-${theme}.png`), await page.screenshot(options));
    for (const name of (await readdir(sketches)).filter((file) => file.endsWith('.html'))) {
      await page.goto(`${address}/docs/design/${name}`);
      await fillIcons(page);
      await shoot(name.replace('.html', ''));
    }
    for (const part of parts) {
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${address}/gallery?part=${part}`);
        await page.waitForTimeout(700);
        const height = await page.evaluate(() => document.querySelector('.kit-page-content').scrollHeight + 80);
        await page.setViewportSize({ width, height: Math.max(height, 400) });
        await page.waitForTimeout(200);
        await shoot(`kit-${part}-${width}`);
      }
    }
    await page.close();
  }
  await browser.close();
  close();
}

if (process.argv[1] === import.meta.filename) await main(resolve(process.argv[2] ?? 'dist/gallery'));
