import { useEffect, useRef, useState } from 'react';
import { useWords } from '../components/words.js';
import { connectFrame, type TerminalScreen, type TerminalSession } from './connect-frame.js';

export type { TerminalScreen, TerminalSession } from './connect-frame.js';

export interface TerminalProps {
  /** Name for screen readers. */
  label: string;
  /**
   * Starts what the terminal shows, once it is ready. `screen.print` shows output, `screen.ask` asks for a line; the session gets what is
   * entered. The newest function is used; the session ends with the component.
   */
  open: (screen: TerminalScreen) => TerminalSession;
  /** Pixels. Default 360. */
  height?: number | undefined;
}

/** Shows a terminal. Escape leaves it. */
export function Terminal({ label, open, height = 360 }: TerminalProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const { terminalLoading } = useWords();
  const newest = useRef(open);
  newest.current = open;
  useEffect(() => {
    if (frame.current === null) return;
    return connectFrame(frame.current, { label, open: (screen) => newest.current(screen), onReady: () => setReady(true) });
  }, [label]);
  const prefix = document.documentElement.dataset.prefix ?? '';
  return (
    <div className="kit-terminal" style={{ height }}>
      {!isReady && (
        <p className="kit-terminal-loading" role="status">
          {terminalLoading}
        </p>
      )}
      <iframe ref={frame} title={label} src={`${prefix}/assets/frames/terminal`} />
    </div>
  );
}
