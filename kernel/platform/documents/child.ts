/** The program that reads one document behind walls. It writes lines of JSON to file descriptor 3, and ends. */
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { closeInherited } from '../sandbox/inherited.js';
import type { AnswerLine } from './answer.js';
import { type TextHint, textHints } from './kind.js';
import { Pages } from './pages.js';
import { readPages } from './read.js';
import { Refusal } from './refusal.js';

const [file = '', given, max_characters, ...inherited] = process.argv.slice(2);
closeInherited(inherited.map(Number));

const pipe = new Socket({ fd: 3, readable: false, writable: true });
const send = (line: AnswerLine) => void pipe.write(`${JSON.stringify(line)}\n`);
const bytes = readFileSync(file);
send({ started: true });
const pages = new Pages((page) => send({ page }), Number(max_characters));
try {
  const is_cut = await readPages(bytes, hint(), pages);
  send({ outline: pages.outline, is_cut });
} catch (fault) {
  send({ refused: fault instanceof Refusal ? fault.code : 'damaged' });
}
// Packages may leave timers or handles behind.
pipe.end(() => process.exit(0));

function hint(): TextHint {
  return textHints.find((known) => known === given) ?? 'text';
}
