import { colourReader } from '../charts/colours.js';
import type { Begin, FromFrame, TerminalLook, ToFrame } from './protocol.js';

/** The terminal, as its session uses it. */
export interface TerminalScreen {
  readonly columns: number;
  readonly rows: number;
  /** Shows output as it is, with its control sequences. */
  print(data: string | Uint8Array): void;
  /** Asks for a line, which `line` of the session gets. `prompt` stands before it. */
  ask(prompt: string): void;
  clear(): void;
}

/** Receives input from a terminal. */
export interface TerminalSession {
  /** A line that was asked for. */
  line?(text: string): void;
  /** Control and C while no line is asked for. */
  interrupt?(): void;
  /** Keys typed while no line is asked for, with their sequences. Without this method they are typed into the next line. */
  data?(text: string): void;
  resize?(columns: number, rows: number): void;
  /** The component is gone. */
  close(): void;
}

interface Wanted {
  label: string;
  open: (screen: TerminalScreen) => TerminalSession;
  onReady: () => void;
}

/** Connects the frame's page with a session. Returns a function that ends both. */
export function connectFrame(frame: HTMLIFrameElement, { label, open, onReady }: Wanted): () => void {
  let session: TerminalSession | undefined;
  let port: MessagePort | undefined;
  let size = { columns: 80, rows: 24 };
  const send = (message: ToFrame) => port?.postMessage(message);
  const screen: TerminalScreen = {
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    print: (data) => send({ type: 'print', data }),
    ask: (text) => send({ type: 'ask', text }),
    clear: () => send({ type: 'clear' }),
  };
  const receive = ({ data: message }: MessageEvent<FromFrame>) => {
    if (message.type === 'ready' || message.type === 'resize') size = { columns: message.columns, rows: message.rows };
    if (message.type === 'ready') {
      session = open(screen);
      if (session.data) send({ type: 'raw' });
      onReady();
    } else if (message.type === 'resize') session?.resize?.(size.columns, size.rows);
    else if (message.type === 'line') session?.line?.(message.text);
    else if (message.type === 'interrupt') session?.interrupt?.();
    else if (message.type === 'data') session?.data?.(message.text);
    else leave(frame);
  };
  const begin = () => {
    session?.close();
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = receive;
    const first: Begin = { type: 'begin', label, look: lookOf(frame) };
    frame.contentWindow?.postMessage(first, location.origin, [channel.port2]);
  };
  frame.addEventListener('load', begin);
  const stopWatching = watchTheme(() => send({ type: 'look', look: lookOf(frame) }));
  return () => {
    frame.removeEventListener('load', begin);
    stopWatching();
    session?.close();
    port?.close();
  };
}

/** Moves the focus out of the frame, to what lies around it. */
function leave(frame: HTMLIFrameElement): void {
  const outer = frame.closest<HTMLElement>('[tabindex], main, [role="main"]');
  frame.blur();
  if (outer === null) return;
  if (!outer.hasAttribute('tabindex')) outer.tabIndex = -1;
  outer.focus();
}

function lookOf(frame: HTMLElement): TerminalLook {
  const parent = frame.parentElement ?? document.body;
  const colour = colourReader(parent);
  const root = getComputedStyle(document.documentElement);
  return {
    font: root.getPropertyValue('--font-mono').trim(),
    size: Math.round(13 * (Number.parseFloat(root.fontSize) / 16)),
    background: colour('--surface'),
    text: colour('--text'),
    quiet: colour('--text-quiet'),
    accent: colour('--accent'),
    selection: colour('--selection'),
    danger: colour('--danger'),
    ok: colour('--ok'),
    warn: colour('--warn'),
  };
}

function watchTheme(changed: () => void): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(changed);
  query.addEventListener('change', changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    query.removeEventListener('change', changed);
    observer.disconnect();
  };
}
