import t from 'tap';
import { placeOf } from '../../extensions/members/network.js';
import { placeCases } from './members/places.js';

for (const { name, source, address, expected } of placeCases) {
  t.test(`${name} (${source})`, async (t) => {
    t.strictSame(placeOf(address), expected);
  });
}
