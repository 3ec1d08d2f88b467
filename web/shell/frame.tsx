import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Late, useLate } from '../kit/components/late.js';
import { runShortcut, useShortcut } from '../kit/data/shortcuts.js';
import { IconButton } from '../kit/index.js';
import { Bars } from './bars.js';
import { keepFocus } from './focus-keeper.js';
import { useIdleness } from './idleness.js';
import { useMessageNotices } from './message-notices.js';
import { Navigation } from './navigation.js';
import { Notices } from './notices.js';
import { Outlet } from './outlet.js';
import type { PageModules } from './page-modules.js';
import { Questions } from './questions.js';
import { useShellTexts } from './texts/index.js';
import { useNarrow } from './use-narrow.js';
import { useShownTitle } from './use-shown-title.js';

/** Shows the frame around the pages: navigation, bars, notices, and what opens above them. */
export function Frame({ pages }: { pages: PageModules }) {
  const text = useShellTexts();
  const isNarrow = useNarrow();
  const [opened, setOpened] = useState<'palette' | 'keys'>();
  const close = () => setOpened(undefined);
  useKeys();
  useIdleness();
  useMessageNotices();
  useDocumentTitle();
  useEffect(keepFocus, []);
  useShortcut('mod+k', text.searchLabel, () => setOpened((before) => (before === 'palette' ? undefined : 'palette')));
  useShortcut('?', text.keys, () => setOpened('keys'));
  const navigation = <Navigation search={() => setOpened('palette')} keys={() => setOpened('keys')} />;
  return (
    <div className="shell">
      <a className="shell-skip" href="#page">
        {text.skip}
      </a>
      {isNarrow ? (
        <TopBar search={() => setOpened('palette')} isCovered={opened !== undefined}>
          {navigation}
        </TopBar>
      ) : (
        <div className="shell-side">{navigation}</div>
      )}
      <div className="shell-main">
        <Bars />
        <main id="page" className="shell-page" tabIndex={-1}>
          <Outlet pages={pages} />
        </main>
      </div>
      <Notices />
      <Questions />
      {opened !== undefined && <Opened key={opened} what={opened} close={close} keys={() => setOpened('keys')} />}
    </div>
  );
}

const late = { palette: () => import('./palette.js'), keys: () => import('./keys-help.js') };

/** Shows what opens above the pages. Its parts load when they are wanted; if they can't be loaded, it stays closed. */
function Opened({ what, close, keys }: { what: 'palette' | 'keys'; close: () => void; keys: () => void }) {
  const [Shown, setShown] = useState<ComponentType<{ close: () => void; keys: () => void }>>();
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    late[what]().then(
      ({ default: loaded }) => setShown(() => loaded),
      () => latest.current(),
    );
  }, [what]);
  return Shown ? <Shown close={close} keys={keys} /> : null;
}

/** The navigation of narrow screens: others never need it. */
const drawer = new Late(() => import('./drawer.js'));

/** Shows the bar of narrow screens, whose button opens the navigation. */
function TopBar({ search, isCovered, children }: { search: () => void; isCovered: boolean; children: ReactNode }) {
  const text = useShellTexts();
  const title = useShownTitle();
  const [path] = useLocation();
  // Each page begins with the drawer closed.
  const [openedAt, setOpenedAt] = useState<string>();
  const Drawer = useLate(drawer, openedAt !== undefined, () => setOpenedAt(undefined))?.Drawer;
  useEffect(() => {
    if (isCovered) setOpenedAt(undefined);
  }, [isCovered]);
  return (
    <header className="shell-top">
      <IconButton icon="menu" label={text.openNavigation} onClick={() => setOpenedAt(path)} />
      <span className="shell-top-title">{title.text}</span>
      <IconButton icon="search" label={text.search} onClick={search} />
      {Drawer && (
        <Drawer label={text.navigation} isOpen={openedAt === path} onOpenChange={(isOpen) => setOpenedAt(isOpen ? path : undefined)}>
          {children}
        </Drawer>
      )}
    </header>
  );
}

function useKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => void runShortcut(event);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Writes the page's title to the document; what is unread precedes it. */
function useDocumentTitle(): void {
  const text = useShellTexts();
  const { text: title, unread } = useShownTitle();
  useEffect(() => {
    const full = title === text.app ? title : `${title} – ${text.app}`;
    document.title = unread > 0 ? `(${unread}) ${full}` : full;
  }, [title, unread, text]);
}
