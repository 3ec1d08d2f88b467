import { readFile } from 'node:fs/promises';

/** A text of React Aria in one language: `…/intl/menu/de-DE.mjs`. */
const dictionary = /\/([a-z]{2}-[A-Z]{2})\.m?js$/;
const kept = ['en-US', 'zh-CN'];

/** Fits React Aria to the web app while it is bundled. */
export const fitReactAria = {
  name: 'react-aria',
  setup({ onResolve, onLoad, resolve }) {
    // Texts in the languages that the app doesn't have would be a third of its components.
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
