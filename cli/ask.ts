import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Interrupted, UsageError } from './exit.js';
import type { Terminal } from './terminal.js';
import { wrapped } from './wrap.js';

/** Returns whether a person can be asked: input and standard error are a terminal. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks for a line; returns an empty string if the input ends. Questions go to standard error, so that output stays clean. */
export async function ask(question: string, terminal: Terminal, signal = new AbortController().signal): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: terminal.stdin, output: terminal.stderr });
  const ended = new Promise<string>((resolve, reject) => {
    reader.on('SIGINT', () => reject(new Interrupted())).on('close', () => resolve(''));
  });
  try {
    return await Promise.race([reader.question(question, { signal }), ended]);
  } catch (fault) {
    // The next message starts on a line of its own.
    if (signal.aborted) terminal.stderr.write('\n');
    throw fault;
  } finally {
    reader.close();
  }
}

/** Discards input typed before the question: it was meant for something else. Throws {@link Interrupted} if it contains Ctrl-C. */
export async function forgetTyped({ stdin }: Terminal): Promise<void> {
  let isInterrupted = false;
  const onInput = (piece: Buffer | string) => (isInterrupted ||= piece.toString().includes(keys.interrupt));
  // In cooked mode a line without Enter would stay in the buffer.
  stdin.setRawMode(true);
  stdin.on('data', onInput).resume();
  // Buffered input arrives in the first turn of the event loop that waits for I/O.
  await nextTurn();
  await nextTurn();
  stdin.off('data', onInput).pause();
  stdin.setRawMode(false);
  if (isInterrupted) throw new Interrupted();
}

/** Asks for a secret without echo. */
export async function askSecret(question: string, terminal: Terminal): Promise<string> {
  const { stdin, stderr } = terminal;
  // Set before the question: a quick answer would be echoed, and Ctrl-C would end the process.
  stdin.setRawMode(true);
  try {
    stderr.write(question);
    return await readSecretLine(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

const keys = { enter: ['\r', '\n'], interrupt: '\u0003', end: '\u0004', erase: ['\u007F', '\b'], line: '\u0015' } as const;

function readSecretLine(stdin: Terminal['stdin']): Promise<string> {
  return new Promise((resolve, reject) => {
    let line: string[] = [];
    const finish = (settle: () => void) => {
      stdin.off('data', onInput);
      settle();
    };
    // Pasted text arrives as one chunk, so each character is checked.
    const onInput = (piece: Buffer | string) => {
      for (const key of piece.toString()) {
        if (keys.enter.includes(key as '\r') || key === keys.end) return finish(() => resolve(line.join('')));
        if (key === keys.interrupt) return finish(() => reject(new Interrupted()));
        if (key === keys.line) line = [];
        else if (keys.erase.includes(key as '\b')) line.pop();
        else if (key >= ' ') line.push(key);
      }
    };
    stdin.on('data', onInput);
    stdin.resume();
  });
}

/** Asks whether to go on. Throws a `UsageError` if nobody can be asked: scripts pass `--yes`. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  if (!canAsk(terminal)) throw new UsageError(`This needs a confirmation: ${question}`, 'add --yes to confirm it');
  const lines = wrapped(`${question} [y/N]`, (terminal.stderr.columns || 80) - 1);
  const last = lines.pop() ?? '';
  for (const line of lines) terminal.stderr.write(`${line}\n`);
  return isYes(await ask(`${last} `, terminal));
}

/** Returns whether an answer is `y` or `yes`, in any case. */
export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

/** Reads all of standard input. */
export async function readAll({ stdin }: Terminal): Promise<string> {
  return text(stdin);
}
