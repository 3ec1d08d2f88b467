import { lazy, Suspense, useEffect, useState } from 'react';
import type { Session } from '../kit/data/session.js';
import { useValue, Value } from '../kit/data/value.js';
import { askForStart } from './early-start.js';
import { fetchModules } from './fetch-modules.js';
import { LoadBoundary } from './load-boundary.js';
import { LogIn, LogInAgain } from './log-in.js';
import { Starting, Unreachable } from './starting.js';
import { linkIn } from './visitor-link.js';

// Loads while the browser asks whether it is still logged in.
const loadApp = () => {
  fetchModules();
  return import('./app.js');
};
const App = lazy(loadAppSurely);
const Visitor = lazy(() => import('./visitor.js'));

// A person who begins to type will need the app in a moment; the view itself doesn't wait for it.
const prepareApp = () => void loadApp().catch(() => undefined);

const retry_ms = 3_000;

/** Whether the app's own module can't be loaded now. */
const isAppMissing = new Value(false);

/** Loads the app, however often it takes. Some browsers remember that a module failed, so once the server is there the document is loaded anew. */
async function loadAppSurely(): ReturnType<typeof loadApp> {
  for (;;) {
    try {
      return await loadApp();
    } catch {
      isAppMissing.set(true);
      await new Promise((resolve) => setTimeout(resolve, retry_ms));
      if (!isReloaded() && (await isServed())) location.reload();
    }
  }
}

/** Returns whether this document is a reload already: a second one wouldn't help. */
function isReloaded(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return entry?.type === 'reload';
}

async function isServed(): Promise<boolean> {
  const response = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' }).catch(() => undefined);
  return response?.ok === true;
}

/** Shows the log-in view or the app. Once the app is there it stays: a login that ends meanwhile is renewed above it. */
export function Root({ session, prefix }: { session: Session; prefix: string }) {
  const state = useValue(session.state);
  const isUnreachable = useStart(session);
  const isMissing = useValue(isAppMissing);
  useEffect(() => {
    if (state.phase === 'in') askForStart(session, prefix);
  }, [state.phase, session, prefix]);
  const [link, setLink] = useState(() => linkIn(location.pathname, prefix));
  if (link) {
    const leave = () => {
      // The link stays neither in the history nor in the address.
      history.replaceState(null, '', `${prefix}/`);
      setLink(undefined);
    };
    return (
      <LoadBoundary>
        <Suspense fallback={<Starting />}>
          <Visitor session={session} link={link} leave={leave} />
        </Suspense>
      </LoadBoundary>
    );
  }
  if (state.phase === 'starting') return isUnreachable ? <Unreachable again={() => void tryStart(session)} /> : <Starting />;
  if (state.phase === 'out') return <LogIn session={session} typed={prepareApp} />;
  return (
    <>
      <LoadBoundary>
        <Suspense fallback={isMissing ? <Unreachable again={() => location.reload()} /> : <Starting />}>
          <App session={session} prefix={prefix} />
        </Suspense>
      </LoadBoundary>
      {state.phase === 'expired' && <LogInAgain session={session} />}
    </>
  );
}

const failed = new Value(false);

/** Starts the session; returns whether the server can't be reached. Tries again by itself. */
function useStart(session: Session): boolean {
  useEffect(() => {
    void tryStart(session);
  }, [session]);
  return useValue(failed);
}

let isStarting = false;

async function tryStart(session: Session): Promise<void> {
  if (isStarting) return;
  isStarting = true;
  try {
    if (session.mayBeLoggedIn()) prepareApp();
    await session.start();
  } catch {
    failed.set(true);
    setTimeout(() => void tryStart(session), retry_ms);
  } finally {
    isStarting = false;
  }
}
