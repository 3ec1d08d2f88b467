import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useId, useRef } from 'react';
import { useKept } from '../data/index.js';
import { classes } from './classes.js';
import { useWords } from './words.js';

export interface SplitProps {
  side: ReactNode;
  main: ReactNode;
  /** Name of the side for screen readers. */
  sideLabel: string;
  /** Whether something is chosen: where there is room for one only (below 720 px), `main` is shown instead of the list. */
  isMainOpen?: boolean | undefined;
  /**
   * Where the side is. Default `start`: a list. `end`: details of `main`, such as a thread, there while `side` is not null; where there is room
   * for one only, they are shown instead of `main`.
   */
  sideAt?: 'start' | 'end' | undefined;
  /** Name under which its width is kept. Default: the width is the same for all splits with that side. */
  widthKey?: string | undefined;
}

const min_width = 200;
const max_width = 480;
const first_width = 288;
const step = 16;

/** Shows a list beside what is chosen from it. The border between them can be moved; its place is kept. */
export function Split({ side, main, sideLabel, isMainOpen = false, sideAt = 'start', widthKey }: SplitProps) {
  const [width, setWidth] = useKept(widthKey ?? `kit.split.${sideAt}`, first_width, { persisted: true });
  const id = useId();
  const set = (next: number) => setWidth(Math.min(Math.max(next, min_width), max_width));
  const style = { '--kit-side': `${width}px` } as CSSProperties;
  const hasSide = side !== null && side !== undefined;
  const look = classes('kit-split', `kit-split-${sideAt}`, (sideAt === 'start' ? isMainOpen : !hasSide) && 'kit-split-open');
  return (
    <div className="kit-split-frame">
      <div className={look} style={style}>
        {hasSide && (
          <>
            <section id={id} className="kit-split-side" aria-label={sideLabel}>
              {side}
            </section>
            <Border side={id} width={width} sign={sideAt === 'start' ? 1 : -1} onChange={set} />
          </>
        )}
        <div className="kit-split-main">{main}</div>
      </div>
    </div>
  );
}

interface BorderProps {
  side: string;
  width: number;
  /** 1 if the side grows to the right, -1 if it grows to the left. */
  sign: 1 | -1;
  onChange: (width: number) => void;
}

function Border({ side, width, sign, onChange }: BorderProps) {
  const { resize } = useWords();
  const start = useRef({ x: 0, width: 0 });
  const begin = (event: PointerEvent<HTMLDivElement>) => {
    start.current = { x: event.clientX, width };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    onChange(start.current.width + sign * (event.clientX - start.current.x));
  };
  const press = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') onChange(width - sign * step);
    if (key === 'ArrowRight') onChange(width + sign * step);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> takes no focus; this is the window splitter of WAI-ARIA
    <div
      className="kit-split-border"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={resize}
      aria-controls={side}
      aria-valuenow={Math.round(width)}
      aria-valuemin={min_width}
      aria-valuemax={max_width}
      onPointerDown={begin}
      onPointerMove={drag}
      onDoubleClick={() => onChange(first_width)}
      onKeyDown={press}
    />
  );
}
