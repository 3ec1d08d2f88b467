import { type Shortcut, shortcuts } from '../kit/data/shortcuts.js';
import { useValue } from '../kit/data/value.js';
import { Dialog, Keys } from '../kit/index.js';
import { useShellTexts } from './texts/index.js';

/** Lists the shortcuts in force. */
export default function KeysHelp({ close }: { close: () => void }) {
  const text = useShellTexts();
  const all = useValue(shortcuts);
  return (
    <Dialog title={text.keys} isOpen onClose={close} size="small">
      <dl className="shell-keys">
        {distinct(all).map(({ keys, label }) => (
          <div key={keys}>
            <dt>{label}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** Keeps the last one of several shortcuts at the same key, which is in force. */
function distinct(all: readonly Shortcut[]): Shortcut[] {
  return [...new Map(all.map((shortcut) => [shortcut.keys, shortcut])).values()];
}
