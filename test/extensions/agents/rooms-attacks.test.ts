import t from 'tap';
import { assertHarmless } from './attack-scene.js';
import { attacks } from './attacks.js';

t.test('no instruction planted in a room shows or does more than everyone there may', (t) => assertHarmless(t, attacks));
