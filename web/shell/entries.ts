import { mayAdminister } from '../../kernel/contract/authority.js';
import { connection, type StartPages } from '../kit/data/connection.js';
import { useMe } from '../kit/data/members.js';
import { useLanguage } from '../kit/data/texts.js';
import { useValue } from '../kit/data/value.js';
import { panelPath } from './plugin-panel/address.js';

/** A page in the navigation. */
export interface Entry {
  readonly path: string;
  readonly title: string;
  readonly icon: string;
}

/** The page of one's own settings is in the account's menu. */
export const own_page = '/me';

/** Pages that have no place in the navigation: programs name the address of the second one. */
const apart: ReadonlySet<string> = new Set([own_page, '/device']);

/** Returns the entries of all pages in their order. */
export function entriesOf(pages: readonly StartPages[]) {
  return pages.flatMap(({ entries }) => entries).sort((one, other) => one.order - other.order);
}

/** Returns the entries of the navigation, by group. */
export function useGroups(): { readonly work: readonly Entry[]; readonly manage: readonly Entry[]; readonly plugins: readonly Entry[] } {
  const { pages, panels } = useValue(connection().start);
  const language = useLanguage();
  // Members come to some pages of this group by links alone: to the profile of an AI employee, below the list of all.
  const isAdmin = mayAdminister(useMe());
  const entries = entriesOf(pages).filter(({ path, group }) => !apart.has(path) && (isAdmin || group !== 'manage'));
  const inGroup = (group: 'work' | 'manage') =>
    entries.filter((entry) => entry.group === group).map(({ path, title, icon }) => ({ path, icon, title: title[language] }));
  const plugins = panels.map((panel) => ({ path: panelPath(panel), title: panel.title, icon: 'plugin' }));
  return { work: inGroup('work'), manage: inGroup('manage'), plugins };
}
