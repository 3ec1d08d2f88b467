import { type ChildProcess, execFileSync, spawn } from 'node:child_process';

export interface RestorerOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  /** What is written to leave the screen. */
  leave: string;
}

/**
 * Waits in a session of its own until its input ends, which it does with the dashboard's process, however that comes. A line
 * says that the terminal was left as it should be. Shells put the keyboard right themselves: only where it is still
 * as the dashboard has it (a signal's key is none: readline's editing leaves those) it is set back.
 */
const script = `
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
read -r _ && exit
printf %s "$1"
exec 3<&1
case $(stty -a <&3) in *-isig*) stty "$2" <&3 ;; esac
`;

/** Restores the terminal where the dashboard can't: after a SIGKILL, or an end of its engine. A shell, which costs no start of another Node. */
export class Restorer {
  readonly #child: ChildProcess;

  /** Begins to wait. To be called while the keyboard is as it is to be later. Where there is no shell, nobody waits. */
  constructor({ stdin, stdout, leave }: RestorerOptions) {
    this.#child = spawn('/bin/sh', ['-c', script, 'sh', leave, settingsOf(stdin)], {
      detached: true,
      stdio: ['pipe', stdout, 'ignore'],
    });
    this.#child.on('error', () => undefined).unref();
    this.#child.stdin?.on('error', () => undefined);
  }

  /** The terminal is left as it was. */
  dismiss(): void {
    this.#child.stdin?.end('left\n');
  }
}

/** The keyboard's settings, as `stty` takes them; `sane` where it doesn't tell. */
function settingsOf(stdin: NodeJS.ReadStream): string {
  try {
    return execFileSync('stty', ['-g'], { stdio: [stdin, 'pipe', 'ignore'], encoding: 'utf8', timeout: 1_000 }).trim();
  } catch {
    return 'sane';
  }
}
