import t from 'tap';
import { importWeb } from '../../helpers/web.js';

interface Editor {
  ask(prompt: string): void;
  type(text: string): void;
  around(write: () => void): void;
}

interface Parts {
  write: (text: string) => void;
  columns: () => number;
  done: (line: string) => void;
  interrupt: () => void;
}

const { LineEditor } = await importWeb<{ LineEditor: new (parts: Parts) => Editor }>('kit/terminal/line-editor.ts');

function open() {
  const lines: string[] = [];
  const written: string[] = [];
  const heard = { interrupts: 0 };
  const editor = new LineEditor({
    write: (text) => written.push(text),
    columns: () => 80,
    done: (line) => lines.push(line),
    interrupt: () => {
      heard.interrupts += 1;
    },
  });
  const type = (...keys: string[]) => {
    for (const key of keys) editor.type(key);
  };
  return { editor, lines, written, heard, type };
}

t.test('keys edit a line as shells do', async (t) => {
  const { editor, lines, type } = open();
  editor.ask('$ ');
  type('s', ' -l', '\u0001', 'l', '\r');
  editor.ask('$ ');
  type('echo one two', '\u0017', 'three', '\u001b[D', '\u001b[D', '\u007f', '\u001b[3~', '\r');
  editor.ask('$ ');
  type('gone', '\u0015', '文件', '\u007f', '\r');
  t.strictSame(lines, ['ls -l', 'echo one the', '文']);
});

t.test('earlier lines come back by the arrows', async (t) => {
  const { editor, lines, type } = open();
  for (const line of ['first', 'second']) {
    editor.ask('$ ');
    type(line, '\r');
  }
  editor.ask('$ ');
  type('\u001b[A', '\u001b[A', '\u001b[B', '!', '\r');
  t.strictSame(lines, ['first', 'second', 'second!']);
});

t.test('what is typed or pasted while a command runs waits for the next line', async (t) => {
  const { editor, lines, type } = open();
  editor.ask('$ ');
  type('one\r\ntwo\nthr');
  t.strictSame(lines, ['one']);
  type('eee', '\u007f', '\r');
  editor.ask('$ ');
  t.strictSame(lines, ['one', 'two']);
  editor.ask('$ ');
  t.strictSame(lines, ['one', 'two', 'three']);
});

t.test('an interrupt gives the line up, or interrupts what runs', async (t) => {
  const { editor, lines, heard, type } = open();
  editor.ask('$ ');
  type('rm -r', '\u0003');
  t.equal(heard.interrupts, 0, 'nothing runs');
  type('\u001b[5~', '\u001b[1;5C', 'ok', '\r', 'typed ahead', '\u0003');
  t.equal(heard.interrupts, 1);
  editor.ask('$ ');
  type('next', '\r');
  t.strictSame(lines, ['ok', 'next'], 'unknown keys do nothing');
});

t.test('output goes above the line that is being typed', async (t) => {
  const { editor, written, type } = open();
  editor.ask('$ ');
  type('abc');
  written.length = 0;
  editor.around(() => written.push('output\r\n'));
  t.equal(written.join(''), '\r\u001b[Joutput\r\n$ abc');
});

t.test('answers of the terminal to questions in the output are not typed', async (t) => {
  const { editor, lines, type } = open();
  editor.ask('$ ');
  type('ls', '\u001b[?1;2c', '\u001b[>0;276;0c', '\u001b[24;80R', '\u001b]10;rgb:ffff/0000/0000\u001b\\', '\u001b]11;rgb:0/0/0\u0007');
  type('\u001bP1$r0m\u001b\\', '\u001b[?25;1$y', '\u001b[<0;5;5M', '\u001b[M !!', '\u001b[I', '\r');
  t.strictSame(lines, ['ls']);
});
