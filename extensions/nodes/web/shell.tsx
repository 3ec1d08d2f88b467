import { failureText, Note, useTexts } from '@platform/kit';
import { Terminal, type TerminalScreen, type TerminalSession } from '@platform/kit/terminal';
import type { Node } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Time limit of a command, the operation's largest. */
const limit_s = 3_600;

/** Shows a terminal that runs one command after the other in the node's container. */
export function Shell({ node: { id, status, shell } }: { node: Node }) {
  const text = useTexts(catalogue);
  if (status !== 'online') return <Note kind="warn">{text.notOnline}</Note>;
  if (shell === false) return <Note kind="warn">{text.noShell}</Note>;
  return (
    <>
      <p className="nodes-note">{text.shellHelp}</p>
      <Terminal label={text.terminal} height={480} open={(screen) => new ShellSession(id, screen, text)} />
    </>
  );
}

interface ShellTexts {
  exit: (code: number) => string;
  killed: string;
}

/** Runs the entered lines as commands. The folder stays from command to command, as in a shell. */
class ShellSession implements TerminalSession {
  readonly #id: number;
  readonly #screen: TerminalScreen;
  readonly #text: ShellTexts;
  #folder = '/workspace';
  #running: AbortController | undefined;

  constructor(id: number, screen: TerminalScreen, text: ShellTexts) {
    this.#id = id;
    this.#screen = screen;
    this.#text = text;
    this.#ask();
  }

  line(text: string): void {
    if (text.trim() === '') this.#ask();
    else if (text.trim() === 'clear') {
      this.#screen.clear();
      this.#ask();
    } else void this.#run(text);
  }

  interrupt(): void {
    this.#running?.abort();
  }

  close(): void {
    this.#running?.abort();
  }

  #ask(): void {
    this.#screen.ask(`${this.#folder} $ `);
  }

  async #run(command: string): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    // A mark that no program prints by accident brings the folder in which the command ended.
    const mark = crypto.randomUUID();
    const input = {
      id: this.#id,
      command: `${command}\ncode=$?\nprintf '%s%s' ${mark} "$PWD"\nexit $code`,
      cwd: this.#folder,
      timeout_s: limit_s,
    };
    let held = '';
    try {
      for await (const { type, data } of api.stream('nodes.exec', input, { signal: running.signal })) {
        if (type === 'output') held = this.#print(held, data as { delta: string; base64?: string }, mark);
        if (type === 'exit') this.#end(held, mark, data as { exit_code: number | null });
      }
    } catch (error) {
      const { title, detail } = failureText(error);
      this.#screen.print(`\r\n\u001b[31m${detail ?? title}\u001b[0m\r\n`);
    }
    if (running.signal.aborted) this.#screen.print('^C\r\n');
    this.#running = undefined;
    this.#ask();
  }

  /** Prints output up to the mark; returns what may be the beginning of the mark, or follows it. */
  #print(held: string, { delta, base64 }: { delta: string; base64?: string }, mark: string): string {
    if (base64 !== undefined) {
      this.#screen.print(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
      return held;
    }
    const all = held + delta;
    const at = all.indexOf(mark);
    const end = at === -1 ? Math.max(0, all.length - mark.length) : at;
    this.#screen.print(all.slice(0, end).replace(/\r?\n/g, '\r\n'));
    return all.slice(end);
  }

  #end(held: string, mark: string, { exit_code }: { exit_code: number | null }): void {
    const [rest = '', folder] = held.split(mark);
    if (rest !== '') this.#screen.print(rest.replace(/\r?\n/g, '\r\n'));
    if (folder) this.#folder = folder;
    if (exit_code === null) this.#screen.print(`\r\n${this.#text.killed}\r\n`);
    else if (exit_code !== 0) this.#screen.print(`\r\n\u001b[2m${this.#text.exit(exit_code)}\u001b[0m\r\n`);
    else this.#screen.print('\r\n');
  }
}
