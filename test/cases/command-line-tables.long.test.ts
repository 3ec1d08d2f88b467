import { testLines } from './command-line/run-lines.js';
import { tableCases } from './command-line/tables.js';

testLines('answers on a terminal and in a pipe', tableCases);
