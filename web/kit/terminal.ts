/** A terminal, in a frame of its own because its library writes style elements. */
export { Terminal, type TerminalProps, type TerminalScreen, type TerminalSession } from './terminal/terminal.js';
