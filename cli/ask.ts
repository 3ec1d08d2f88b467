import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { Interrupted, UsageError } from './exit.js';
import type { Terminal } from './terminal.js';
import { wrapped } from './wrap.js';

/** Whether there is somebody to ask. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks for a line; empty where the input ends. Questions go to standard error, so that output stays clean. */
export async function ask(question: string, terminal: Terminal, signal = new AbortController().signal): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: terminal.stdin, output: terminal.stderr });
  const ended = new Promise<string>((resolve, reject) => {
    reader.on('SIGINT', () => reject(new Interrupted())).on('close', () => resolve(''));
  });
  try {
    return await Promise.race([reader.question(question, { signal }), ended]);
  } catch (fault) {
    // What is told next stands on a line of its own.
    if (signal.aborted) terminal.stderr.write('\n');
    throw fault;
  } finally {
    reader.close();
  }
}

/** Forgets what was typed before anything was asked: it was meant for something else. */
export async function forgetTyped({ stdin }: Terminal): Promise<void> {
  let isInterrupted = false;
  const take = (piece: Buffer | string) => (isInterrupted ||= piece.toString().includes(keys.interrupt));
  // Else what has no Enter yet would stay.
  stdin.setRawMode(true);
  stdin.on('data', take).resume();
  // What is there already is read in the first turn that waits for anything.
  await turn();
  await turn();
  stdin.off('data', take).pause();
  stdin.setRawMode(false);
  if (isInterrupted) throw new Interrupted();
}

/** Asks for something that must not be seen. */
export async function askSecret(question: string, terminal: Terminal): Promise<string> {
  const { stdin, stderr } = terminal;
  // Before the question: who answers it at once would be seen, and a Ctrl-C would go elsewhere.
  stdin.setRawMode(true);
  try {
    stderr.write(question);
    return await typed(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

const keys = { enter: ['\r', '\n'], interrupt: '\u0003', end: '\u0004', erase: ['\u007F', '\b'], line: '\u0015' } as const;

function typed(stdin: Terminal['stdin']): Promise<string> {
  return new Promise((resolve, reject) => {
    let line: string[] = [];
    const finish = (settle: () => void) => {
      stdin.off('data', take);
      settle();
    };
    // What is pasted comes as one piece, so each character is looked at.
    const take = (piece: Buffer | string) => {
      for (const key of piece.toString()) {
        if (keys.enter.includes(key as '\r') || key === keys.end) return finish(() => resolve(line.join('')));
        if (key === keys.interrupt) return finish(() => reject(new Interrupted()));
        if (key === keys.line) line = [];
        else if (keys.erase.includes(key as '\b')) line.pop();
        else if (key >= ' ') line.push(key);
      }
    };
    stdin.on('data', take);
    stdin.resume();
  });
}

/** Asks whether to go on; without somebody to ask, `--yes` must have said so. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  if (!canAsk(terminal)) throw new UsageError(`This needs a confirmation: ${question}`, 'add --yes to confirm it');
  const lines = wrapped(`${question} [y/N]`, (terminal.stderr.columns || 80) - 1);
  const last = lines.pop() ?? '';
  for (const line of lines) terminal.stderr.write(`${line}\n`);
  return /^y(es)?$/i.test((await ask(`${last} `, terminal)).trim());
}

/** All of standard input. */
export async function readAll({ stdin }: Terminal): Promise<string> {
  return text(stdin);
}
