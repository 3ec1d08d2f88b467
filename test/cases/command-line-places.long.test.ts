import { placeCases } from './command-line/places.js';
import { testLines } from './command-line/run-lines.js';

testLines('the installation that a line works on', placeCases);
