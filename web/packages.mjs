import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A text of React Aria in one language: `…/intl/menu/de-DE.mjs`. */
const dictionary = /\/([a-z]{2}-[A-Z]{2})\.m?js$/;
const kept = ['en-US', 'zh-CN'];

/** Fits packages to the web app while they are bundled. */
export const fitPackages = {
  name: 'packages',
  setup({ onResolve, onLoad, resolve }) {
    // The package's own version for browsers decodes by `innerHTML`, which the app's policy refuses; the one for Node brings all 2,125 names along.
    onResolve({ filter: /^decode-named-character-reference$/ }, () => ({
      path: join(import.meta.dirname, 'kit', 'markdown', 'entities.ts'),
    }));
    // Texts of React Aria in the languages that the app doesn't have would be a third of its components.
    onResolve({ filter: dictionary }, ({ path, importer, resolveDir, kind }) => {
      const language = dictionary.exec(path)?.[1] ?? '';
      if (kept.includes(language) || !/[\\/]react-(aria|stately)/.test(importer)) return undefined;
      return resolve(path.replace(language, language === 'zh-TW' ? 'zh-CN' : 'en-US'), { importer, resolveDir, kind });
    });
    // It empties its live region by `innerHTML`, which the app's policy refuses (Trusted Types); a number field would fail on each key.
    onLoad({ filter: /[\\/]dist[\\/]private[\\/]live-announcer[\\/]LiveAnnouncer\.m?js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const fitted = code.replaceAll(".innerHTML = ''", ".textContent = ''");
      if (fitted === code) throw new Error(`${path} has changed: check whether it still assigns innerHTML`);
      return { contents: fitted, loader: 'js' };
    });
  },
};
