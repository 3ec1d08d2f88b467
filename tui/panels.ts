import { existsSync, readdirSync } from 'node:fs';
import type { Panel } from './kit/panel.js';

/** A panel with any operations. */
export type AnyPanel = Panel<Record<string, never>>;

/** A panel and its unique name. */
export interface View {
  /** Name for `:`: the extension's id, or a word of the dashboard's own. */
  name: string;
  panel: AnyPanel;
}

/** Returns the views whose name or title starts with a text. */
export function viewsNamed(views: readonly View[], text: string): View[] {
  const wanted = text.trim().toLowerCase();
  const begins = (each: string) => each.toLowerCase().startsWith(wanted);
  return views.filter(({ name, panel }) => begins(name) || begins(panel.title));
}

export interface FoundPanel {
  extension: string;
  panel: AnyPanel;
}

// Resolved from dist/tui: the built extensions.
const builtinFolder = new URL('../extensions/', import.meta.url);

/** Loads the panels of the built-in extensions. They run here, not in the server. */
export async function findPanels(folder: URL = builtinFolder): Promise<FoundPanel[]> {
  const extensions = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = extensions.map(({ name }) => ({ extension: name, file: new URL(`${name}/panel.js`, folder) }));
  const found = files
    .filter(({ file }) => existsSync(file))
    .map(async ({ extension, file }) => {
      const { default: panel } = (await import(file.href)) as { default: AnyPanel };
      return { extension, panel };
    });
  return Promise.all(found);
}
