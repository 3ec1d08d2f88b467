import { useEffect, useState } from 'react';
import { connection } from '../kit/data/connection.js';
import { useLive } from '../kit/data/frames.js';
import { notify } from '../kit/data/notices.js';
import { unsaved, unstored, writes } from '../kit/data/unsaved.js';
import { useValue } from '../kit/data/value.js';
import { Button, Icon } from '../kit/index.js';
import { DirtyForms } from './dirty-forms.js';
import { useShellTexts } from './texts/index.js';

/** Shows what concerns the whole app: a lost connection, a new version. */
export function Bars() {
  return (
    <>
      <OfflineBar />
      <NewVersionBar />
    </>
  );
}

/** A break that mends itself at once isn't worth a word. */
const patience_ms = 2_000;

function OfflineBar() {
  const text = useShellTexts();
  const { state, since, retry_at } = useLive();
  // A person who has to log in again is told so, and nothing else.
  const isLoggedIn = useValue(connection().session.state).phase === 'in';
  const isDown = useLasting(state !== 'live' && isLoggedIn, since);
  const [wasDown, setWasDown] = useState(false);
  useEffect(() => {
    if (isDown) setWasDown(true);
    else if (wasDown && state === 'live') {
      setWasDown(false);
      notify(text.connected, { kind: 'success' });
    }
  }, [isDown, wasDown, state, text]);
  if (!isDown) return null;
  return (
    <div className="shell-bar shell-bar-warn" role="status">
      <Icon name="offline" />
      <span>
        {text.offline} <Countdown to={state === 'offline' ? retry_at : undefined} />
      </span>
      <Button isSmall onClick={() => connection().live.retry()}>
        {text.tryNow}
      </Button>
    </div>
  );
}

/** Returns whether something has lasted for a while. */
function useLasting(is: boolean, since: number): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    if (!is) return setLasting(false);
    const timer = setTimeout(() => setLasting(true), since + patience_ms - Date.now());
    return () => clearTimeout(timer);
  }, [is, since]);
  return is && isLasting;
}

/** Shows the seconds until the next attempt; not read aloud, because it changes all the time. */
function Countdown({ to }: { to: number | undefined }) {
  const text = useShellTexts();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const seconds = to === undefined ? 0 : Math.ceil((to - now) / 1_000);
  return <span aria-hidden="true">{seconds > 0 ? text.offlineIn(seconds) : text.offlineRetrying}</span>;
}

/** Offers to load a new version of the app itself, but not while something would be lost. */
function NewVersionBar() {
  const text = useShellTexts();
  const { shell } = useValue(connection().start);
  const isBusy = useValue(unsaved.count) + useValue(unstored.count) > 0;
  const isWriting = useValue(writes.count) > 0;
  const isNew = shell !== '' && !isRunning(shell);
  const isDirty = useDirty(isNew);
  if (!isNew || isBusy || isWriting || isDirty) return null;
  return (
    <div className="shell-bar" role="status">
      <Icon name="refresh" />
      <span>{text.newVersion}</span>
      <Button isSmall onClick={() => location.reload()}>
        {text.reload}
      </Button>
    </div>
  );
}

const dirtyForms = new DirtyForms();
const look_ms = 1_000;

/** Returns whether a form has been typed in; looks again and again while somebody waits for the end of it. */
function useDirty(isWatching: boolean): boolean {
  const [isDirty, setDirty] = useState(true);
  useEffect(() => {
    if (!isWatching) return undefined;
    const look = () => setDirty(dirtyForms.isDirty());
    look();
    const timer = setInterval(look, look_ms);
    return () => clearInterval(timer);
  }, [isWatching]);
  return isDirty;
}

/** Returns whether this document was started by the module. */
function isRunning(address: string): boolean {
  return [...document.scripts].some((script) => script.getAttribute('src') === address);
}
