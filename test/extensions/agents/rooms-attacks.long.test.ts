import t from 'tap';
import { assertHarmless } from './attack-scene.js';
import { fileAttacks } from './file-attacks.js';

t.test('no instruction planted in a file of a room shows or does more than everyone there may', (t) => assertHarmless(t, fileAttacks));
