/** Expressions as they stand in a table, a bar between each two. */
function rows(text: string): string[] {
  return text.split(/[|\n]/).flatMap((row) => row.trim() || []);
}

/** Expressions of the whole grammar, compared in UTC. Those that croner reads in another way are in `against-croner.long.test.ts`. */
export const expressions: readonly string[] = [
  // Minutes and hours
  ...rows(`
    * * * * * | */2 * * * * | */5 * * * * | */7 * * * * | */15 * * * * | */30 * * * * | */59 * * * * | 0 * * * * | 59 * * * *
    0,30 * * * * | 5,25,45 * * * * | 10-20 * * * * | 10-50/10 * * * * | 0-59 * * * * | 1-59/2 * * * * | 58,59,0,1 * * * *
    0-5,55-59 * * * * | 0 */2 * * * | 0 */3 * * * | 0 */5 * * * | 0 */6 * * * | 0 */12 * * * | 30 */4 * * * | */20 */8 * * *
    0 0-23/2 * * * | 15 1-23/2 * * * | 0 0 * * * | 59 23 * * * | 30 2 * * * | 0 3 * * * | 0 12 * * * | 0 0,12 * * *
    0 6,12,18 * * * | 0 9-17 * * * | 0 9-17/4 * * * | */10 22,23,0 * * * | 5 4 * * * | 05 04 * * * | 1 1 * * * | 23 0-20/2 * * *
    0-30/10 2 * * * | 30 1 * * * | 0 1 * * * | 0 2 * * * | 45 1,2,3 * * * | 15 23 * * *
  `),
  // Days of the month
  ...rows(`
    0 0 1 * * | 0 0 15 * * | 0 0 28 * * | 0 0 29 * * | 0 0 30 * * | 0 0 31 * * | 0 0 1,15 * * | 0 0 1-7 * * | 0 0 */2 * *
    0 0 */10 * * | 0 0 28-31 * * | 0 12 10-20/5 * * | 30 2 1 * * | 0 4 8-14 * * | 15 10 15 * * | 0 0 1,11,21,31 * * | 0 0 */31 * *
    0 0 2-31/7 * * | 59 23 31 * * | * * 1 * *
  `),
  // Months
  ...rows(`
    0 0 1 1 * | 0 0 1 JAN * | 0 0 31 12 * | 59 23 31 DEC * | 0 0 1 */3 * | 0 0 1 */6 * | 0 0 1 1,4,7,10 * | 0 0 1 JAN,JUL *
    0 0 1 mar-may * | 0 0 30 4-6 * | 0 0 31 1-6 * | 0 0 31 */2 * | 0 0 29 2 * | 30 2 29 FEB * | * * 29 2 * | 0 0 28,29 2 *
    0 0 28 2 * | 0 9 1 9 * | 0 0 24 12 * | */30 8-10 5 5 * | 0 0 * 2 * | 0 12 * 6-8 * | 0 0 * JUN-AUG/2 * | 0 0 1 2-12/5 *
    0 3 1 1-12/4 * | 5 5 5 5 * | 0 0 30 1,3,11 * | 10 10 10 10 * | 0 0 1 Sep,oct,NOV * | 0 0 31 7,8 *
  `),
  // Days of the week
  ...rows(`
    0 0 * * 0 | 0 0 * * 7 | 0 0 * * SUN | 0 0 * * 1 | 0 0 * * MON | 0 0 * * 6 | 0 0 * * sat | 0 9 * * MON-FRI | 0 9 * * 1-5
    0 0 * * 6,0 | 0 0 * * 5-7 | 0 0 * * 0-7 | 0 0 * * 0-6 | 0 0 * * 1-7/2 | 0 0 * * */2 | 0 0 * * */3 | 0 0 * * mon,WED,Fri
    0 0 * * TUE-THU | */15 9-16 * * 1-5 | 30 17 * * FRI | 0 0 * * 2,4 | 0 0 * * 0,7 | 0 0 * * 7-7 | 0 22 * * 1-5 | 0 8 * * SAT,SUN
    0 0 * * 3-5 | 0 0 * * 4-4 | 5 4 * * sun | 0 0 * 1 MON | 0 0 * 2 0 | 0 0 * 12 SUN | 30 2 * 3 SUN | 0 2 * 10,11 SUN
    */20 0-4 * 3,10 0 | 0 7 * 9-11 MON-FRI | 0 0 * 6 1-5/2 | 0 13 * */4 WED | 0 0 * 2 SAT | 15 15 * JAN TUE | 0 0 * APR FRI
  `),
  // One day or the other
  ...rows(`
    0 0 13 * FRI | 0 0 13 * 5 | 30 4 1,15 * 5 | 0 0 1 * MON | 0 0 1-7 * MON | 0 0 31 * SUN | 0 0 29 2 MON | 0 0 30 2 MON
    0 0 1-31 * MON | 0 0 1 * 0-6 | 0 0 1 * 0-7 | 0 0 15 6 SAT,SUN | 0 0 1,15 */2 3 | 0 12 31 12 FRI | 0 0 25-31 * THU | 0 0 1 1 0
    0 0 10,20,30 * TUE | */30 0 1 * 7 | 0 0 5 5 5 | 0 0 31 2,4 WED
  `),
  // Written otherwise
  ...rows(`
    00 00 01 01 * | 0 00 * * * | 0,0,0 5 * * * | 1-3,2-4 6 * * * | 3,1,2 7 * * * | 59,0 23,0 * * * | 0 0 1-5,3-8,31 * *
    0 0 * jan-JAN * | 0-0 0-0 1-1 1-1 * | */60 */24 * * *
  `),
];

export const zones: readonly string[] = [
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Cairo',
  'America/St_Johns',
  'Asia/Kathmandu',
];

/** Compared in each of the zones: each kind of field, and the hours near which clocks are set. */
export const inZones: readonly string[] = rows(`
  */15 * * * * | 30 * * * * | 30 2 * * * | 0 2 * * * | 30 1 * * * | 0 0 * * * | 15 23 * * * | 0 9 * * MON-FRI | 0 0 1 * *
  0 0 31 * * | 0 0 29 2 * | 59 23 31 DEC * | 0 0 13 * FRI | 0 12 1 */3 * | 0 0 * * 7 | 30 2 * 3 SUN | 0 3 * 10,11 SUN | 20 0 1 * *
  0 0 * * SAT-7 | 59 1 * * *
`);

/** Jobs of several hours, but not of all: compared in each of the zones while the clock isn't set. */
export const severalHours: readonly string[] = rows(`
  0 */2 * * * | 45 1,2,3 * * * | */20 0-4 * 3,10 0 | */30 8-10 5 5 * | 0 9-17 * * MON-FRI
`);
