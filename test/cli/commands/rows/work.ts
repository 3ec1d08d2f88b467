import type { Rows } from '../row.js';

/** How many milliseconds it took, as each medium shows that. */
const duration = [/(?<=\t)\d+(?=\t\t|\n)/g, /(?<=duration ms: +|<time> +)\d+ */g];

/** Notifications and schedules. */
export const workRows: Rows = {
  'notification list': { says: /\tFirst\n/ },
  // The list has brought it, which is noted after that was answered.
  'notification show': { given: { 7: 'notification' }, until: /sent/, says: /\tFirst\tOne\t/ },
  'notification unread': { says: /^\d+\n$/ },
  'notification read': { given: { '1,2': 'notification' }, says: /^1\t\d+\n$/, absent: 'none' },
  'notification send': { says: /^\d+\n$/ },
  notify: { says: /^\d+\n$/ },
  'notification channels': { says: /^webhook\t/m },
  'notification preferences': { says: /webhook/ },
  'notification choose': { says: /webhook/ },
  'notification test': { code: 1, says: /^webhook\tfalse\t/, tells: /^platform: /, shown: /accepted: +false/, differs: duration },
  'schedule list': { says: /^\d+\tTidy\tcron\t/m },
  'schedule show': { given: { 7: 'schedule' }, says: /^\d+\tTidy\tcron\t/ },
  'schedule create': { says: /^\d+\tCleaning\tcron\t0 3 \* \* \*\tmaintenance\.cleanup\ttrue\t/ },
  'schedule preview': { given: { 7: 'schedule' }, says: /^times\t.*\n[\s\S]*timezone\tUTC\n$/ },
  'schedule change': { given: { 7: 'schedule' }, says: /\t30 4 \* \* 1-5\tmaintenance\.cleanup\tfalse\t/ },
  'schedule toggle': { given: { 7: 'schedule' }, says: /\tTidy\ttrue\t/ },
  'schedule run': { given: { 7: 'schedule' }, says: /^1\tqueued\n$/ },
  'schedule history': { given: { 7: 'schedule' }, until: / success |\tsuccess\t/, says: /^1\tsuccess\tmanual\t/, differs: duration },
  'schedule run-show': { given: { 7: 'schedule' }, says: /^1\tsuccess\tmanual\t/, differs: duration },
  'schedule stop': { given: { 7: 'schedule' }, code: 5, says: /^$/, tells: /^platform: / },
  'schedule rm': { given: { 7: 'schedule' }, says: /^$/ },
};
