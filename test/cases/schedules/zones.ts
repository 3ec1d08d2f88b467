/** A name of a zone, and what its clock shows at noon UTC on 1 July 2027. */
export interface ZoneCase {
  timezone: string;
  noon: string;
}

/** The names of the time zone database (2025c) without a slash, and some links with one. */
export const zoneSource = 'IANA time zone database 2025c, files backward and etcetera';

export const zoneCases: readonly ZoneCase[] = [
  ['CET', '14:00'],
  ['CST6CDT', '07:00'],
  ['Cuba', '08:00'],
  ['EET', '15:00'],
  ['EST', '07:00'],
  ['EST5EDT', '08:00'],
  ['Egypt', '15:00'],
  ['Eire', '13:00'],
  ['GB', '13:00'],
  ['GB-Eire', '13:00'],
  ['GMT', '12:00'],
  ['GMT+0', '12:00'],
  ['GMT-0', '12:00'],
  ['GMT0', '12:00'],
  ['Greenwich', '12:00'],
  ['HST', '02:00'],
  ['Hongkong', '20:00'],
  ['Iceland', '12:00'],
  ['Iran', '15:30'],
  ['Israel', '15:00'],
  ['Jamaica', '07:00'],
  ['Japan', '21:00'],
  ['Kwajalein', '00:00'],
  ['Libya', '14:00'],
  ['MET', '14:00'],
  ['MST', '05:00'],
  ['MST7MDT', '06:00'],
  ['NZ', '00:00'],
  ['NZ-CHAT', '00:45'],
  ['Navajo', '06:00'],
  ['PRC', '20:00'],
  ['PST8PDT', '05:00'],
  ['Poland', '14:00'],
  ['Portugal', '13:00'],
  ['ROC', '20:00'],
  ['ROK', '21:00'],
  ['Singapore', '20:00'],
  ['Turkey', '15:00'],
  ['UCT', '12:00'],
  ['UTC', '12:00'],
  ['Universal', '12:00'],
  ['W-SU', '15:00'],
  ['WET', '13:00'],
  ['Zulu', '12:00'],
  ['japan', '21:00'],
  ['gmt', '12:00'],
  ['Etc/GMT+5', '07:00'],
  ['Etc/GMT-14', '02:00'],
  ['Etc/UCT', '12:00'],
  ['US/Pacific', '05:00'],
  ['us/pacific', '05:00'],
  ['Asia/Calcutta', '17:30'],
  ['Asia/Saigon', '19:00'],
  ['Europe/Kiev', '15:00'],
  ['Europe/Kyiv', '15:00'],
  ['America/Argentina/ComodRivadavia', '09:00'],
  ['America/Indiana/Knox', '07:00'],
  ['Antarctica/DumontDUrville', '22:00'],
  ['America/Port-au-Prince', '08:00'],
].map(([timezone, noon]) => ({ timezone, noon }) as ZoneCase);

/** Words that Intl or people take for zones, but the database doesn't have. */
export const refusedZones: readonly string[] = ['BST', 'PST', 'CEST', 'ACT', 'IST', 'JST', 'UTC+2', '+02:00', 'Factory', 'local', 'Berlin'];
