import t from 'tap';
import { checkBehindWalls } from './behind-walls.js';
import { documents } from './cases/all.js';

t.test('all documents are answered behind walls as without them', (t) => checkBehindWalls(t, documents));
