import { outputCases } from './command-line/output.js';
import { testLines } from './command-line/run-lines.js';

testLines('files and standard streams', outputCases);
