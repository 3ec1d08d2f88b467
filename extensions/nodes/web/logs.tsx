import { Button, Empty, Failed, firstPart, revealed, scrollable, useFormat, useTexts, withoutSequences } from '@platform/kit';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

const tail = 500;
/** Lines that are kept; older ones go. */
const max_lines = 2_000;

interface Line {
  readonly key: number;
  readonly stream: 'stdout' | 'stderr';
  readonly at: string;
  readonly delta: string;
}

/** Shows the container's log as it is written. */
export function Logs({ id }: { id: number }) {
  const [attempt, setAttempt] = useState(0);
  return <Following key={attempt} id={id} again={() => setAttempt(attempt + 1)} />;
}

function Following({ id, again }: { id: number; again: () => void }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [error, setError] = useState<unknown>();
  const [isFollowing, setFollowing] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const frame = useCallback((element: HTMLDivElement | null) => {
    box.current = element;
    return scrollable(element);
  }, []);
  useEffect(() => {
    const ends = new AbortController();
    const add = (more: Line[]) => setLines((before) => [...before, ...more].slice(-max_lines));
    follow({ id, signal: ends.signal, add }).catch(setError);
    return () => ends.abort();
  }, [id]);
  const last = lines.at(-1)?.key;
  useEffect(() => {
    if (isFollowing && last !== undefined) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last, isFollowing]);
  return (
    <>
      <div>
        <Button kind="quiet" icon={isFollowing ? 'pause' : 'play'} onClick={() => setFollowing(!isFollowing)}>
          {isFollowing ? text.stopFollowing : text.follow}
        </Button>
      </div>
      {error === undefined ? undefined : <Failed error={error} again={again} />}
      {lines.length === 0 && error === undefined ? <Empty icon="terminal" title={text.noLines} /> : undefined}
      {lines.length > 0 ? (
        <div ref={frame} className="nodes-logs">
          <ol aria-label={text.logs}>
            {lines.map(({ key, at, stream, delta }) => (
              <li key={key} className={`nodes-log-${stream}`}>
                <time dateTime={at}>{format.time(at)}</time> {shownLine(delta)}
              </li>
            ))}
          </ol>
        </div>
      ) : undefined}
    </>
  );
}

/** Longer lines are shown in part. */
const max_line = 10_000;

function shownLine(line: string): string {
  return revealed(withoutSequences(firstPart(line, max_line)));
}

/** Reads the log, and hands lines on in bundles, one a frame of the screen. */
async function follow({ id, signal, add }: { id: number; signal: AbortSignal; add: (lines: Line[]) => void }): Promise<void> {
  let waiting: Line[] = [];
  let key = 0;
  const flush = () => {
    add(waiting);
    waiting = [];
  };
  for await (const { type, data } of api.stream('nodes.logs', { id, tail, follow: true }, { signal })) {
    if (type !== 'log') continue;
    if (waiting.length === 0) requestAnimationFrame(flush);
    key += 1;
    waiting.push({ key, ...(data as Omit<Line, 'key'>) });
  }
}
