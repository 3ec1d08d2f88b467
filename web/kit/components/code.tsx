import { useState } from 'react';
import { isApple } from '../data/index.js';
import { IconButton } from './button.js';
import { classes } from './classes.js';
import { copyText } from './copy-text.js';
import { revealed } from './hidden-characters.js';
import { scrollable } from './scrollable.js';
import { useWords } from './words.js';

export interface CodeProps {
  text: string;
  /** Whether it stands in a line of text. Default: a block with a button to copy it. */
  isInline?: boolean | undefined;
  /** Name of the block for screen readers. */
  label?: string | undefined;
  /** Whether long lines break instead of scrolling. */
  wraps?: boolean | undefined;
}

/** Shows code, output or a value to copy. Hidden characters stand in words; what is copied has them. */
export function Code({ text, isInline, label, wraps }: CodeProps) {
  if (isInline) return <code className="kit-code-inline">{revealed(text)}</code>;
  return (
    <div className={classes('kit-code', wraps && 'kit-code-wraps')}>
      <pre ref={scrollable} {...(label !== undefined && { role: 'group', 'aria-label': label })}>
        <code>{revealed(text)}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

export interface CopyButtonProps {
  text: string;
  /** Default "Copy". */
  label?: string | undefined;
}

const copied_ms = 1_600;

/** Shows a button that copies a text and says so. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const words = useWords();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), copied_ms);
  };
  return (
    <>
      <IconButton
        isSmall
        className="kit-copy"
        icon={isCopied ? 'check' : 'copy'}
        label={isCopied ? words.copied : (label ?? words.copy)}
        onClick={() => void copy()}
      />
      <span className="kit-hidden" role="status">
        {isCopied && words.copied}
      </span>
    </>
  );
}

export interface KeysProps {
  /** Such as `mod+k`: `mod` is Command on a Mac and Control elsewhere. */
  keys: string;
}

const keyNames: Readonly<Record<string, string>> = isApple
  ? { mod: '⌘', shift: '⇧', alt: '⌥', enter: '↵', arrowup: '↑', arrowdown: '↓', escape: 'Esc' }
  : { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', enter: 'Enter', arrowup: '↑', arrowdown: '↓', escape: 'Esc' };

/** Shows the keys of a shortcut. */
export function Keys({ keys }: KeysProps) {
  return (
    <span className="kit-keys">
      {keys.split('+').map((key) => (
        <kbd key={key}>{keyNames[key] ?? key.toUpperCase()}</kbd>
      ))}
    </span>
  );
}
