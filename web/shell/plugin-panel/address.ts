import type { PanelRecord } from '../../../kernel/contract/system.js';

/** Pattern of the addresses of plugins' pages. */
export const panel_pattern = '/plugins/:extension/:place';

/** Returns the address of a plugin's page. A title is unique within a plugin and says where a link goes. */
export function panelPath({ extension, title }: Pick<PanelRecord, 'extension' | 'title'>): string {
  return `/plugins/${encodeURIComponent(extension)}/${encodeURIComponent(title)}`;
}
