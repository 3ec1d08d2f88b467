const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the time of day of a moment in a zone: `14:05`. */
export function clockOf(iso: string, language: string, timeZone: string): string {
  const key = `${language} ${timeZone}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hour12: false, timeZone });
  formats.set(key, format);
  return format.format(new Date(iso));
}
