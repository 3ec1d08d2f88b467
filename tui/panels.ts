import { readdirSync } from 'node:fs';
import type { Panel } from './kit/panel.js';

/** A panel of the dashboard, whatever operations it knows. */
export type AnyPanel = Panel<Record<string, never>>;

/** A panel and how it is told from others. */
export interface View {
  /** What `:` takes: the extension's id, or a word of the dashboard's own. */
  name: string;
  panel: AnyPanel;
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
  const found = extensions.map(async ({ name }) => {
    const file = new URL(`${name}/panel.js`, folder);
    const { default: panel } = await load(file);
    return panel && { extension: name, panel };
  });
  return (await Promise.all(found)).filter((each) => each !== undefined);
}

async function load(file: URL): Promise<{ default?: AnyPanel }> {
  try {
    return (await import(file.href)) as { default: AnyPanel };
  } catch (error) {
    const { code, url } = error as NodeJS.ErrnoException & { url?: string };
    if (code === 'ERR_MODULE_NOT_FOUND' && (url === undefined || url === file.href)) return {};
    throw error;
  }
}
