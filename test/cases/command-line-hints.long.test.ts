import { hintCases } from './command-line/hints.js';
import { testLines } from './command-line/run-lines.js';

testLines('hints and lines that fit', hintCases);
