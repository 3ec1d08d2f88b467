import { fit, oneLine } from './kit/cells.js';
import { Depth } from './kit/context.js';
import type { Binding } from './kit/keys.js';
import { Log } from './kit/log.js';
import { useTyping } from './kit/use-keys.js';

export interface HelpProps {
  /** Bindings that worked when help was opened. */
  bindings: readonly Binding[];
  close: () => void;
}

/** Lists all keys that work in the view. */
export function Help({ bindings, close }: HelpProps) {
  return <Overlay lines={helpLines(bindings)} wrap={false} close={close} />;
}

/** Shows a message of several lines. */
export function LongMessage({ text, close }: { text: string; close: () => void }) {
  return <Overlay lines={[oneLine(text)]} wrap close={close} />;
}

interface OverlayProps {
  lines: readonly string[];
  wrap: boolean;
  close: () => void;
}

function Overlay({ lines, wrap, close }: OverlayProps) {
  return (
    <Depth value={overlay_depth}>
      <Closing close={close} />
      <Depth value={overlay_depth + 1}>
        <Log lines={lines} follow={false} wrap={wrap} />
      </Depth>
    </Depth>
  );
}

/** Depth above anything that a view draws. */
export const overlay_depth = 100;
const key_columns = 12;

function helpLines(bindings: readonly Binding[]): string[] {
  const labels = [...new Set(bindings.map(({ label }) => label))];
  const keysOf = (label: string) => bindings.filter((binding) => binding.label === label).map(({ key }) => (key === ' ' ? 'space' : key));
  return ['Keys', ...labels.map((label) => `  ${fit(keysOf(label).join(' '), key_columns)}  ${oneLine(label)}`)];
}

/** Closes the overlay; keys don't reach the layers below. */
function Closing({ close }: { close: () => void }) {
  const type = (key: string): boolean => {
    if (key === 'ctrl-c') return false;
    if (['esc', '?', 'q', 'enter'].includes(key)) close();
    return true;
  };
  useTyping(type, true, [{ key: 'esc', label: 'back', run: close }]);
  return null;
}
