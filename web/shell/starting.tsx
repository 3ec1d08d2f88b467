import { useEffect, useState } from 'react';
import { useTexts } from '../kit/data/texts.js';
import { logInTexts } from './texts/log-in.js';

const patience_ms = 400;

/** Shows that something loads, but not at once: a quick answer must not flash. */
export function Starting() {
  const text = useTexts(logInTexts);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), patience_ms);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="shell-center" role="status">
      {isShown && (
        <>
          <span className="shell-spinner" />
          <p>{text.starting}</p>
        </>
      )}
    </div>
  );
}

/** Says that the server can't be reached. */
export function Unreachable({ again }: { again: () => void }) {
  const text = useTexts(logInTexts);
  return (
    <main className="shell-center" role="alert">
      <h1>{text.unreachable}</h1>
      <p>{text.retrying}</p>
      <button type="button" className="shell-button" onClick={again}>
        {text.again}
      </button>
    </main>
  );
}
