/**
 * Messages between the app and the frame of the terminal, over a `MessagePort`. The app sends `begin` with the port to the frame's window once;
 * nothing else is sent to a window, so neither side listens to strangers.
 */

/** Colours and type of the app's theme, as CSS values. */
export interface TerminalLook {
  font: string;
  size: number;
  background: string;
  text: string;
  quiet: string;
  accent: string;
  selection: string;
  danger: string;
  ok: string;
  warn: string;
}

/** Sent to the frame's window, with a port. */
export interface Begin {
  type: 'begin';
  label: string;
  look: TerminalLook;
}

/** From the app. */
export type ToFrame =
  /** Shows output as it is. */
  | { type: 'print'; data: string | Uint8Array }
  /** Asks for a line; `text` stands before it. */
  | { type: 'ask'; text: string }
  /** Changes the colours, after a change of the theme. */
  | { type: 'look'; look: TerminalLook }
  /** The session wants the keys typed while no line is asked for, as `data`. By default they are typed into the next line. */
  | { type: 'raw' }
  | { type: 'clear' }
  | { type: 'focus' };

/** From the frame. */
export type FromFrame =
  | { type: 'ready'; columns: number; rows: number }
  | { type: 'resize'; columns: number; rows: number }
  /** A line that was asked for. */
  | { type: 'line'; text: string }
  /** Control and C while no line is asked for. */
  | { type: 'interrupt' }
  /** Keys typed while no line was asked for, if the session is raw. */
  | { type: 'data'; text: string }
  /** Escape: the focus should leave, so that nobody is caught (WCAG 2.2, 2.1.2). */
  | { type: 'leave' };
