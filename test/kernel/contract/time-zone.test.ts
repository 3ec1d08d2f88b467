import t from 'tap';
import { isTimeZone } from '../../../kernel/contract/index.js';

/** Names from the files of the time zone database (tzdata 2024a: `europe`, `asia`, `northamerica`, `etcetera`, `backward`). */
const names = ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'GMT', 'Japan', 'PRC', 'EST', 'W-SU', 'us/pacific', 'utc'];
const others = ['', 'Berlin', 'Mars/Olympus', '+02:00', 'GMT+2', 'BST', 'PST', 'Europe/Berlin ', 'Europe/Berlin\n', '../Europe/Berlin'];

t.test('every name of the time zone database is a zone, including links', async (t) => {
  t.strictSame(
    names.filter((name) => !isTimeZone(name)),
    [],
  );
});

t.test('rejects offsets and abbreviations that only Intl knows', async (t) => {
  t.strictSame(others.filter(isTimeZone), []);
});
