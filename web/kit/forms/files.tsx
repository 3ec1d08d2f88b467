import { type ReactNode, useRef } from 'react';
import { DropZone as RacDropZone } from 'react-aria-components/DropZone';
import { Button, type ButtonKind, IconButton } from '../components/button.js';
import { useWords } from '../components/words.js';
import type { IconName } from '../icons.js';

interface Choosing {
  onFiles: (files: File[]) => void;
  /** As `accept` of an `<input>`: `.zip,image/*`. */
  accept?: string | undefined;
  multiple?: boolean | undefined;
  disabled?: boolean | undefined;
}

export interface FileButtonProps extends Choosing {
  label: string;
  /** Default `attach`. */
  icon?: IconName | undefined;
  kind?: ButtonKind | undefined;
  /** Whether the button is an icon alone. */
  isIcon?: boolean | undefined;
  isBusy?: boolean | undefined;
}

/** Shows a button that lets the member choose files. */
export function FileButton({ onFiles, accept, multiple, disabled, label, icon = 'attach', kind, isIcon, isBusy }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const common = { disabled, isBusy, kind, onClick: () => input.current?.click() };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={multiple}
        onChange={({ target }) => {
          if (target.files?.length) onFiles([...target.files]);
          // The same file can then be chosen again.
          target.value = '';
        }}
      />
      {isIcon ? (
        <IconButton icon={icon} label={label} {...common} />
      ) : (
        <Button icon={icon} {...common}>
          {label}
        </Button>
      )}
    </>
  );
}

export interface DropZoneProps extends Choosing {
  /** Name for screen readers. */
  label: string;
  /** Content of the zone. Default: "Drop files here, or", and a button. Other content brings its own look. */
  children?: ReactNode;
}

/** Takes files that are dropped on it or pasted into it. */
export function DropZone({ onFiles, accept, multiple, disabled = false, label, children }: DropZoneProps) {
  const words = useWords();
  const take = async (items: readonly { kind: string }[]) => {
    const files = await Promise.all(items.filter(isFileItem).map((item) => item.getFile()));
    if (files.length > 0) onFiles(multiple ? files : files.slice(0, 1));
  };
  return (
    <RacDropZone
      aria-label={label}
      isDisabled={disabled}
      className={children === undefined ? 'kit-drop' : 'kit-drop-around'}
      onDrop={({ items }) => void take(items)}
    >
      {children ?? (
        <>
          <span>{words.dropHere}</span>
          <FileButton {...{ onFiles, accept, multiple, disabled }} icon="upload" label={words.chooseFile} />
        </>
      )}
    </RacDropZone>
  );
}

interface FileItem {
  kind: 'file';
  getFile(): Promise<File>;
}

function isFileItem(item: { kind: string }): item is FileItem {
  return item.kind === 'file';
}
