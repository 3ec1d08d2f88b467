import t from 'tap';
import { assertHarmless } from './attack-scene.js';
import { attacks } from './attacks.js';
import { fileAttacks } from './file-attacks.js';

t.test('no instruction planted in a room or in a file of it shows or does more than everyone there may', (t) =>
  assertHarmless(t, [...attacks, ...fileAttacks]),
);
