import t from 'tap';
import { checkBehindWalls } from './behind-walls.js';
import { attacks } from './cases/all.js';

t.test('all attacks end behind walls, also those that take all time and memory', (t) => checkBehindWalls(t, attacks));
