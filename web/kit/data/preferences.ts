import { Value } from './value.js';

/** Languages of the web app. */
export type Language = 'en' | 'zh-CN';

export type ThemeName = 'system' | 'light' | 'dark';

/** How a member reads texts and times. */
export interface Preferences {
  /** Language of the catalogues. */
  readonly language: Language;
  /** BCP 47 tag for dates and numbers. */
  readonly locale: string;
  /** Name of the time zone; undefined for the browser's own. */
  readonly zone: string | undefined;
  readonly theme: ThemeName;
}

/** Settings of a member, as the server stores them. */
export interface StoredPreferences {
  readonly language: string | null;
  readonly zone: string | null;
  readonly theme: string | null;
}

const remembered = 'platform:preferences';

/** The preferences in force. */
export const preferences = new Value<Preferences>(preferencesFrom(recall()));

/** Takes over the settings of a member, and remembers them for the next log-in view. */
export function applyPreferences(stored: StoredPreferences): void {
  preferences.set(preferencesFrom(stored));
  try {
    localStorage.setItem(remembered, JSON.stringify({ language: stored.language, zone: stored.zone, theme: stored.theme }));
  } catch {
    // A browser without storage shows its own language at the next log-in.
  }
}

/** Returns the catalogue's language for a BCP 47 tag; undefined if there is none. */
function languageOf(tag: string): Language | undefined {
  if (/^zh\b/i.test(tag)) return 'zh-CN';
  return /^en\b/i.test(tag) ? 'en' : undefined;
}

/** Writes language and theme to the document, now and after each change. */
export function reflectPreferences(root: HTMLElement): void {
  const reflect = () => {
    const { language, theme } = preferences.get();
    root.lang = language;
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  reflect();
  preferences.watch(reflect);
}

function preferencesFrom({ language, zone, theme }: StoredPreferences): Preferences {
  const wanted = language === null ? [...navigator.languages] : [language];
  const found = wanted.map(languageOf).find((each) => each !== undefined) ?? 'en';
  // A person who reads English with German dates keeps them: the browser's own tag decides if it has the same language.
  const locale = wanted.find((tag) => languageOf(tag) === found) ?? found;
  return { language: found, locale: validLocale(locale), zone: validZone(zone), theme: isTheme(theme) ? theme : 'system' };
}

function isTheme(text: string | null): text is ThemeName {
  return text === 'system' || text === 'light' || text === 'dark';
}

function validLocale(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Returns the zone if this browser knows it. */
function validZone(zone: string | null): string | undefined {
  if (zone === null) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function recall(): StoredPreferences {
  try {
    const {
      language = null,
      zone = null,
      theme = null,
    } = JSON.parse(localStorage.getItem(remembered) ?? '{}') as Partial<StoredPreferences>;
    return { language, zone, theme };
  } catch {
    return { language: null, zone: null, theme: null };
  }
}
