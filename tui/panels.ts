import { existsSync, readdirSync } from 'node:fs';
import type { Panel } from './kit/panel.js';

/** A panel of the dashboard, whatever operations it knows. */
export type AnyPanel = Panel<Record<string, never>>;

/** A panel and how it is told from others. */
export interface View {
  /** What `:` takes: the extension's id, or a word of the dashboard's own. */
  name: string;
  panel: AnyPanel;
}

/** Those whose name or title begins so. */
export function viewsNamed(views: readonly View[], text: string): View[] {
  const wanted = text.trim().toLowerCase();
  const begins = (each: string) => each.toLowerCase().startsWith(wanted);
  return views.filter(({ name, panel }) => begins(name) || begins(panel.title));
}

export interface FoundPanel {
  extension: string;
  panel: AnyPanel;
}

// From dist/tui, the built extensions.
const own = new URL('../extensions/', import.meta.url);

/** The panels that the program's own extensions bring. They run here, not in the server. */
export async function findPanels(folder: URL = own): Promise<FoundPanel[]> {
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
