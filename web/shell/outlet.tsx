import { lazy, Suspense, useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import type { StartPages } from '../kit/data/connection.js';
import { RouteParams, useGo } from '../kit/data/navigation.js';
import { useLanguage } from '../kit/data/texts.js';
import { useValue } from '../kit/data/value.js';
import { Button, LinkButton, Loading, Note } from '../kit/index.js';
import { entriesOf } from './entries.js';
import { Message } from './message.js';
import { PageBoundary } from './page-boundary.js';
import type { PageModules, Pages } from './page-modules.js';
import { bestMatch, matchPattern } from './patterns.js';
import { panel_pattern } from './plugin-panel/address.js';
import { useShellTexts } from './texts/index.js';

// Brings tables and forms along, which most members never need here.
const PanelPage = lazy(() => import('./plugin-panel/page.js'));

/** Shows the page of the present address. */
export function Outlet({ pages }: { pages: PageModules }) {
  const [path] = useLocation();
  useValue(pages.state);
  const found = pages.at(path);
  const panel = matchPattern(panel_pattern, path);
  if (found) return <ExtensionPage key={found.extension} pages={pages} of={found} path={path} />;
  if (panel) {
    return (
      <PageBoundary resetAt={path}>
        <Suspense fallback={<Loading lines={6} />}>
          <PanelPage key={path} extension={panel.extension ?? ''} place={panel.place ?? ''} />
        </Suspense>
      </PageBoundary>
    );
  }
  if (path === '/') return <First pages={pages} />;
  const gone = pages.goneAt(path);
  return gone ? <Gone pages={gone} /> : <NotFound />;
}

function ExtensionPage({ pages, of: { extension, offered, shown, error }, path }: { pages: PageModules; of: Pages; path: string }) {
  const text = useShellTexts();
  const again = () => void pages.load(extension);
  useEffect(() => void pages.load(extension), [pages, extension]);
  const match = useMemo(() => (shown ? bestMatch(shown.module.views, path) : undefined), [shown, path]);
  if (!shown) {
    if (!error) return <Loading lines={6} />;
    return (
      <Message
        icon="warning"
        title={text.moduleFailed}
        text={text.moduleFailedText}
        action={<Button onClick={again}>{text.again}</Button>}
      />
    );
  }
  if (!match) return <NotFound />;
  const View = match.value;
  return (
    <>
      {error !== undefined && shown.address !== offered.module && (
        <Note
          kind="warn"
          action={
            <Button isSmall onClick={again}>
              {text.again}
            </Button>
          }
        >
          {text.oldPage}
        </Note>
      )}
      <PageBoundary resetAt={`${shown.address} ${path}`}>
        <RouteParams value={match.params}>
          <View />
        </RouteParams>
      </PageBoundary>
    </>
  );
}

/** Goes to the first page of the navigation, if no extension has a page at the root. */
function First({ pages }: { pages: PageModules }) {
  const go = useGo();
  const first = entriesOf([...pages.state.get().values()].map(({ offered }) => offered))[0];
  useEffect(() => {
    if (first) go(first.path, { replace: true });
  }, [go, first]);
  return first ? <Loading lines={6} /> : <NotFound />;
}

function Gone({ pages }: { pages: StartPages }) {
  const text = useShellTexts();
  const language = useLanguage();
  const name = pages.entries[0]?.title[language] ?? pages.extension;
  return <Message icon="plugin" title={text.goneTitle} text={text.goneText(name)} action={<LinkButton to="/">{text.toHome}</LinkButton>} />;
}

/** Says that nothing is at the address. */
function NotFound() {
  const text = useShellTexts();
  return <Message icon="search" title={text.notFound} text={text.notFoundText} action={<LinkButton to="/">{text.toHome}</LinkButton>} />;
}
