/** Names in the time zone database without a `/`, in lower case. Intl accepts more, such as BST for Bangladesh, which are not in the database. */
const slashless = new Set(
  (
    'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan ' +
    'Kwajalein Libya MET MST MST7MDT Navajo NZ NZ-CHAT Poland Portugal PRC PST8PDT ROC ROK Singapore Turkey UCT Universal UTC W-SU WET Zulu'
  )
    .toLowerCase()
    .split(' '),
);

/** Returns whether the time zone database has a zone or a link with this name, in any case. Offsets such as `+02:00` are not names. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]\w*\/[\w+/-]{1,60}$/i.test(name) && !slashless.has(name.toLowerCase())) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
