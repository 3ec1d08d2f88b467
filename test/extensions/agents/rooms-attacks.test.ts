import t from 'tap';
import { assertHarmless } from './attack-scene.js';
import { attacks } from './attacks.js';

/** The long test makes all of them. */
const some = attacks.filter((_, at) => at % 5 === 0);

t.test('no instruction planted in a room shows or does more than everyone there may', (t) => assertHarmless(t, some));
