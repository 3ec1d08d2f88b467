import { useLocation } from 'wouter';
import { Go } from '../kit/data/navigation.js';
import { Count, Icon, Keys } from '../kit/index.js';
import { AccountMenu } from './account-menu.js';
import { useBadges } from './badges.js';
import { type Entry, useGroups } from './entries.js';
import { isBelow } from './patterns.js';
import { useShellTexts } from './texts/index.js';

/** Shows the pages that the member may open. */
export function Navigation({ search, keys }: { search: () => void; keys: () => void }) {
  const text = useShellTexts();
  const badges = useBadges();
  const groups = useGroups();
  const [path] = useLocation();
  const current = Object.values(groups)
    .flat()
    .filter((entry) => isBelow(path, decodeURI(entry.path)))
    .sort((one, other) => other.path.length - one.path.length)[0];
  return (
    <div className="shell-navigation">
      <button type="button" className="shell-search" onClick={search}>
        <Icon name="search" />
        <span>{text.search}</span>
        <Keys keys="mod+k" />
      </button>
      <nav className="shell-pages" aria-label={text.navigation}>
        {(['work', 'plugins', 'manage'] as const).map((group) => (
          <Group key={group} title={text.groups[group]} entries={groups[group]} current={current} badges={badges} />
        ))}
      </nav>
      <AccountMenu keys={keys} />
    </div>
  );
}

function Group({
  title,
  entries,
  current,
  badges,
}: {
  title: string;
  entries: readonly Entry[];
  current: Entry | undefined;
  badges: Readonly<Record<string, number>>;
}) {
  if (entries.length === 0) return null;
  return (
    <div className="shell-group">
      {title !== '' && <h2>{title}</h2>}
      <ul>
        {entries.map((entry) => (
          <li key={entry.path}>
            <Go to={entry.path} className="shell-page-link" aria-current={entry === current ? 'page' : undefined}>
              <Icon name={entry.icon} />
              <span className="shell-page-name">{entry.title}</span>
              <Count n={badges[entry.path] ?? 0} />
            </Go>
          </li>
        ))}
      </ul>
    </div>
  );
}
