import { Suspense, useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { mayAdminister } from '../../kernel/contract/authority.js';
import { late } from '../kit/data/late.js';
import { useMe } from '../kit/data/members.js';
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
const PanelPage = late(async () => (await import('./plugin-panel/page.js')).default);

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
  return <NoPage pages={pages} path={path} />;
}

/** Says why nothing is at the address: its extension went, the member's role changed, or it never was a page. */
function NoPage({ pages, path }: { pages: PageModules; path: string }) {
  const text = useShellTexts();
  const language = useLanguage();
  const me = useMe();
  const gone = pages.goneAt(path);
  const action = <LinkButton to="/">{text.toHome}</LinkButton>;
  if (!gone) return <NotFound />;
  if (gone.for === 'admin' && !mayAdminister(me))
    return <Message icon="lock" title={text.forbiddenTitle} text={text.forbiddenText(gone.title[language])} action={action} />;
  return <Message icon="plugin" title={text.goneTitle} text={text.goneText(gone.title[language])} action={action} />;
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

/** Says that nothing is at the address. */
function NotFound() {
  const text = useShellTexts();
  return <Message icon="search" title={text.notFound} text={text.notFoundText} action={<LinkButton to="/">{text.toHome}</LinkButton>} />;
}
