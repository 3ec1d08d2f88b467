import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';
import { LineEditor } from '../kit/terminal/line-editor.js';
import type { Begin, FromFrame, TerminalLook, ToFrame } from '../kit/terminal/protocol.js';
import './terminal.css';

/** Lines that can be scrolled back. */
const scrollback = 5_000;
const escape_key = '\u001b';

addEventListener('message', function begun({ source, origin, data, ports }: MessageEvent<Begin>) {
  const [port] = ports;
  if (source !== parent || origin !== location.origin || data.type !== 'begin' || port === undefined) return;
  removeEventListener('message', begun);
  start(port, data);
});

/** Shows the terminal and connects it with the app. */
function start(port: MessagePort, { label, look }: Begin): void {
  const host = document.createElement('div');
  host.className = 'terminal-host';
  document.body.append(host);
  document.title = label;
  const terminal = new Terminal({
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    scrollback,
    screenReaderMode: true,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  apply(terminal, look);
  boundRepetitions(terminal);
  terminal.open(host);
  terminal.textarea?.setAttribute('aria-label', label);
  fit.fit();
  const send = (message: FromFrame) => port.postMessage(message);
  const editor = new LineEditor({
    write: (text) => terminal.write(text),
    columns: () => terminal.cols,
    done: (text) => send({ type: 'line', text }),
    interrupt: () => send({ type: 'interrupt' }),
  });
  const view: View = { terminal, editor, isRaw: false };
  terminal.onData((text) => {
    if (text === escape_key) send({ type: 'leave' });
    else if (view.isRaw && !editor.isAsking) send({ type: 'data', text });
    else editor.type(text);
  });
  passInsertedText(terminal);
  terminal.onResize(({ cols, rows }) => send({ type: 'resize', columns: cols, rows }));
  new ResizeObserver(() => fit.fit()).observe(host);
  port.onmessage = ({ data }: MessageEvent<ToFrame>) => receive(data, view);
  send({ type: 'ready', columns: terminal.cols, rows: terminal.rows });
}

/** Sequences that repeat what they do as often as their number says: letters, lines, scrolling, tabs. */
const repeating = ['b', 'L', 'M', 'S', 'T', 'I', 'Z'];
const max_repetitions = 10_000;

/** Drops sequences whose number no screen needs: each would hold the page for minutes. */
function boundRepetitions({ parser }: Terminal): void {
  for (const final of repeating) parser.registerCsiHandler({ final }, ([count]) => Number(count) > max_repetitions);
}

interface View {
  terminal: Terminal;
  editor: LineEditor;
  /** Whether the session wants what is typed while no line is asked for. */
  isRaw: boolean;
}

/** Passes text on that comes without keys, from an emoji picker or a telephone's keyboard; xterm.js ignores it in its mode for screen readers. */
function passInsertedText(terminal: Terminal): void {
  let pressed = '';
  terminal.textarea?.addEventListener('keypress', ({ key }) => {
    pressed = key;
  });
  terminal.textarea?.addEventListener('input', (event) => {
    const { inputType, data, isComposing } = event as InputEvent;
    if (inputType === 'insertText' && data && !isComposing && data !== pressed) terminal.input(data);
    pressed = '';
  });
}

function receive(message: ToFrame, view: View): void {
  const { terminal, editor } = view;
  if (message.type === 'print') editor.around(() => terminal.write(message.data));
  else if (message.type === 'ask') editor.ask(message.text);
  else if (message.type === 'look') apply(terminal, message.look);
  else if (message.type === 'clear') terminal.clear();
  else if (message.type === 'raw') view.isRaw = true;
  else terminal.focus();
}

function apply(terminal: Terminal, look: TerminalLook): void {
  document.body.dataset.begun = '';
  document.documentElement.style.background = look.background;
  terminal.options.fontFamily = look.font;
  terminal.options.fontSize = look.size;
  terminal.options.lineHeight = 1.25;
  terminal.options.minimumContrastRatio = 4.5;
  terminal.options.theme = themeOf(look);
}

/** The sixteen colours of terminals, where the theme has a role for one; the rest are xterm's own, made readable by the contrast ratio. */
function themeOf({ background, text, quiet, accent, selection, danger, ok, warn }: TerminalLook): ITheme {
  return {
    background,
    foreground: text,
    cursor: accent,
    cursorAccent: background,
    selectionBackground: selection,
    red: danger,
    brightRed: danger,
    green: ok,
    brightGreen: ok,
    yellow: warn,
    brightYellow: warn,
    cyan: accent,
    brightCyan: accent,
    brightBlack: quiet,
  };
}
