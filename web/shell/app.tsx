import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Router } from 'wouter';
import { overlays } from '../kit/components/late-overlays.js';
import { confirm } from '../kit/data/confirm.js';
import type { Connection } from '../kit/data/connection.js';
import { loadFailureTexts } from '../kit/data/failure-text.js';
import type { Session } from '../kit/data/session.js';
import { textsOf } from '../kit/data/texts.js';
import { unsaved, unstored } from '../kit/data/unsaved.js';
import { KitLocale } from '../kit/index.js';
import { connectMember } from './connect.js';
import { Frame } from './frame.js';
import { PageModules } from './page-modules.js';
import { Starting, Unreachable } from './starting.js';
import { shellTexts } from './texts/index.js';

interface Ready {
  readonly connection: Connection;
  readonly pages: PageModules;
}

const retry_ms = 3_000;
const failure_texts_after_ms = 3_000;
const overlays_after_ms = 6_000;

/** Shows the app of the logged-in member. */
export default function App({ session, prefix }: { session: Session; prefix: string }) {
  const [ready, setReady] = useState<Ready>();
  const [isFailed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    prepare(session, prefix).then(setReady, () => {
      setFailed(true);
      timer = setTimeout(() => setAttempt(attempt + 1), retry_ms);
    });
    return () => clearTimeout(timer);
  }, [session, prefix, attempt]);
  if (!ready) return isFailed ? <Unreachable again={() => setAttempt(attempt + 1)} /> : <Starting />;
  return (
    <QueryClientProvider client={ready.connection.query}>
      <Router base={prefix} aroundNav={askBeforeLeaving}>
        <KitLocale>
          <Frame pages={ready.pages} />
        </KitLocale>
      </Router>
    </QueryClientProvider>
  );
}

async function prepare(session: Session, prefix: string): Promise<Ready> {
  const connection = await connectMember(session, prefix);
  // Later than what is shown first, and before the connection may be lost.
  setTimeout(loadFailureTexts, failure_texts_after_ms);
  setTimeout(() => overlays.load().catch(() => undefined), overlays_after_ms);
  const { start } = connection;
  const pages = new PageModules(start.get().pages);
  start.watch(() => pages.update(start.get().pages));
  connection.live.onAgain(() => pages.retry());
  addEventListener('beforeunload', (event) => {
    if (unsaved.count.get() + unstored.count.get() > 0 && session.state.get().phase !== 'out') event.preventDefault();
  });
  return { connection, pages };
}

type Navigate = (to: string, options?: object) => void;

/** Asks before the address changes if the page has changes that aren't saved. */
function askBeforeLeaving(navigate: Navigate, to: string, options?: object): void {
  if (unsaved.count.get() === 0) {
    navigate(to, options);
    return;
  }
  const text = textsOf(shellTexts);
  void confirm({ title: text.leaveTitle, text: text.leaveText, confirm: text.leave, danger: true }).then(
    (yes) => yes && navigate(to, options),
  );
}
