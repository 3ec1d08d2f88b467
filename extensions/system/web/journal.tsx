import { Button, Empty, firstPart, revealed, useFormat, useFrames, useKept, useTexts, withoutSequences } from '@platform/kit';
import { Select } from '@platform/kit/forms';
import { useState } from 'react';
import { catalogue } from './texts/index.js';

/** Lines that are kept; older ones go. */
const max_lines = 500;

/** Longer lines are shown in part. */
const max_line = 10_000;

interface Line {
  readonly id: number;
  readonly at: string;
  readonly level: string;
  readonly text: string;
}

const levels = ['debug', 'info', 'warn', 'error'];
let last = 0;

/** Shows the server's log as it is written. */
export function Journal() {
  const text = useTexts(catalogue);
  const format = useFormat();
  const [lines, setLines] = useKept<readonly Line[]>('system.journal', []);
  const [level, setLevel] = useKept('system.journal.level', 'info');
  const [isPaused, setPaused] = useState(false);
  useFrames(['log'], ({ data, ts }) => {
    if (isPaused) return;
    const line = lineOf(data as Record<string, unknown>, String(ts ?? ''));
    setLines((before) => [...before, line].slice(-max_lines));
  });
  const shown = lines.filter((line) => levels.indexOf(line.level) >= levels.indexOf(level));
  return (
    <>
      <div className="system-filter">
        <Select
          label={text.level}
          options={levels.map((id) => ({ id, label: text.levels[id as keyof typeof text.levels] }))}
          value={level}
          onChange={setLevel}
        />
        <Button icon={isPaused ? 'play' : 'pause'} onClick={() => setPaused(!isPaused)}>
          {isPaused ? text.goOn : text.pause}
        </Button>
        <Button kind="quiet" onClick={() => setLines([])}>
          {text.clear}
        </Button>
      </div>
      {shown.length === 0 ? <Empty icon="terminal" title={text.noLines} text={text.noLinesHelp} /> : undefined}
      <ol className="system-journal">
        {shown.toReversed().map((line) => (
          <li key={line.id} className={`system-line system-line-${line.level}`}>
            <time dateTime={line.at}>{format.time(line.at)}</time> {line.text}
          </li>
        ))}
      </ol>
    </>
  );
}

function lineOf(data: Record<string, unknown>, ts: string): Line {
  const { level = 'info', msg = '', time = ts, ...fields } = data;
  const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : '';
  last += 1;
  return {
    id: last,
    at: String(time),
    level: String(level),
    text: revealed(withoutSequences(firstPart(`${String(msg)}${rest}`, max_line))),
  };
}
