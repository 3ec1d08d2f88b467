import { questionCases } from './command-line/questions.js';
import { testLines } from './command-line/run-lines.js';

testLines('questions and what is said after them', questionCases);
