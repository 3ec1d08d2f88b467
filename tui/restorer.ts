import { type ChildProcess, execFileSync, spawn } from 'node:child_process';

export interface RestorerOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  /** Escape sequence that leaves the screen. */
  leave: string;
}

/**
 * Waits in its own session until its input ends, which happens with the dashboard's process, however that ends. A line on the input
 * means that the terminal was restored in order. Shells reset the keyboard themselves; so it is reset only if signal keys are still
 * off (`-isig`), which is the dashboard's mode: readline leaves them on.
 */
const script = `
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
read -r _ && exit
printf %s "$1"
exec 3<&1
case $(stty -a <&3) in *-isig*) stty "$2" <&3 ;; esac
`;

/** Restores the terminal if the dashboard can't: after SIGKILL or a crash of Node. Uses a shell, which starts faster than another Node. */
export class Restorer {
  readonly #child: ChildProcess;

  /** Starts to wait. Call it while the keyboard has the settings to restore. Without a shell it does nothing. */
  constructor({ stdin, stdout, leave }: RestorerOptions) {
    this.#child = spawn('/bin/sh', ['-c', script, 'sh', leave, settingsOf(stdin)], {
      detached: true,
      stdio: ['pipe', stdout, 'ignore'],
    });
    this.#child.on('error', () => undefined).unref();
    this.#child.stdin?.on('error', () => undefined);
  }

  /** Stops it: the terminal was already restored. */
  dismiss(): void {
    this.#child.stdin?.end('left\n');
  }
}

/** Reads the keyboard's settings in the format of `stty`; `sane` if that fails. */
function settingsOf(stdin: NodeJS.ReadStream): string {
  try {
    return execFileSync('stty', ['-g'], { stdio: [stdin, 'pipe', 'ignore'], encoding: 'utf8', timeout: 1_000 }).trim();
  } catch {
    return 'sane';
  }
}
