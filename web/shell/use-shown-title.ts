import { useLocation } from 'wouter';
import { type PageTitle, pageTitles } from '../kit/data/page-title.js';
import { useValue } from '../kit/data/value.js';
import { useGroups } from './entries.js';
import { isBelow } from './patterns.js';
import { useShellTexts } from './texts/index.js';

/** Returns the title that the page has set, or else that of its entry in the navigation. */
export function useShownTitle(): PageTitle {
  const text = useShellTexts();
  const [path] = useLocation();
  const { work, manage, plugins } = useGroups();
  const set = useValue(pageTitles).at(-1);
  if (set) return set;
  const entry = [...work, ...manage, ...plugins].find((each) => isBelow(path, decodeURI(each.path)));
  return { text: entry?.title ?? text.app, unread: 0 };
}
