import { testLines } from './command-line/run-lines.js';
import { startCases } from './command-line/start.js';

testLines('the start of the program', startCases);
