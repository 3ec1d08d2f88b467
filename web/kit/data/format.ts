import { useMemo } from 'react';
import { type Preferences, preferences } from './preferences.js';
import { useValue } from './value.js';

/** Formats values for a person, in the member's locale and time zone. */
export interface Format {
  /** `14:05` today; with the date on another day. */
  time: (iso: string) => string;
  /** `27 Nov 2026`. */
  date: (iso: string) => string;
  /** Date and time to the second. */
  exact: (iso: string) => string;
  /** `3 minutes ago`, `yesterday`, `in 2 hours`. */
  ago: (iso: string) => string;
  number: (value: number, options?: Intl.NumberFormatOptions) => string;
  /** `1.5 MB`; 1,000 bytes are 1 kB. */
  bytes: (count: number) => string;
  /** `2 min 5 s`. */
  duration: (ms: number) => string;
  /** `Ada, Grace and Linus`. */
  list: (names: readonly string[]) => string;
  /** The zone of all times. */
  readonly zone: string;
}

/** Returns the functions that format values for the member. */
export function useFormat(): Format {
  const chosen = useValue(preferences);
  return useMemo(() => formatFor(chosen), [chosen]);
}

/** Returns the functions outside of a component. */
export function format(): Format {
  return formatFor(preferences.get());
}

const formats = new WeakMap<Preferences, Format>();

function formatFor(chosen: Preferences): Format {
  const made = formats.get(chosen) ?? makeFormat(chosen);
  formats.set(chosen, made);
  return made;
}

const byte_units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const ago_units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function makeFormat({ locale, zone }: Preferences): Format {
  const zoned = zone === undefined ? {} : { timeZone: zone };
  const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...zoned, ...options });
  // Each of these takes milliseconds to make, and a view needs few of them.
  const clock = once(() => dates({ hour: '2-digit', minute: '2-digit' }));
  const day = once(() => dates({ day: 'numeric', month: 'short', year: 'numeric' }));
  const dayOfYear = once(() => dates({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }));
  const dayAndClock = once(() => dates({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' }));
  const exact = once(() => dates({ dateStyle: 'medium', timeStyle: 'medium' }));
  const year = once(() => dates({ year: 'numeric' }));
  const relative = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' }));
  const names = once(() => new Intl.ListFormat(locale, { type: 'conjunction' }));
  const plain = once(() => new Intl.NumberFormat(locale));
  const unit = (value: number, name: string, digits: number) =>
    // In short, English has `61 byte`.
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: name,
      unitDisplay: name === 'byte' ? 'long' : 'short',
      maximumFractionDigits: digits,
    }).format(value);
  const read = (iso: string, write: (at: Date) => string) => {
    const at = instant(iso);
    return at === undefined ? iso : write(at);
  };
  return {
    zone: clock().resolvedOptions().timeZone,
    time: (iso) =>
      read(iso, (at) => {
        const now = new Date();
        if (day().format(at) === day().format(now)) return clock().format(at);
        return year().format(at) === year().format(now) ? dayOfYear().format(at) : dayAndClock().format(at);
      }),
    date: (iso) => read(iso, (at) => day().format(at)),
    exact: (iso) => read(iso, (at) => exact().format(at)),
    ago: (iso) =>
      read(iso, (at) => {
        const away = at.getTime() - Date.now();
        const [name, size] = ago_units.find(([, ms]) => Math.abs(away) >= ms) ?? ['second', 1_000];
        return name === 'second' ? relative().format(0, 'second') : relative().format(Math.trunc(away / size), name);
      }),
    number: (value, options) => (options === undefined ? plain() : new Intl.NumberFormat(locale, options)).format(value),
    bytes: (count) => {
      const power = Math.min(byte_units.length - 1, count < 1_000 ? 0 : Math.floor(Math.log10(count) / 3));
      return unit(count / 1_000 ** power, byte_units[power] as string, power === 0 ? 0 : 1);
    },
    duration: (ms) => durationText(ms, unit),
    list: (all) => names().format(all),
  };
}

/** Returns a function that makes a value when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function durationText(ms: number, unit: (value: number, name: string, digits: number) => string): string {
  if (ms < 1_000) return unit(Math.round(ms), 'millisecond', 0);
  if (ms < 10_000) return unit(ms / 1_000, 'second', 1);
  const seconds = Math.round(ms / 1_000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3_600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, name]) => unit(value, name, 0))
    .join(' ');
}

/** Parses a time of the platform. One without a zone is UTC. */
function instant(iso: string): Date | undefined {
  const zoned = /(Z|[+-]\d\d:?\d\d)$/i.test(iso) || !iso.includes('T') ? iso : `${iso}Z`;
  const at = new Date(zoned);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
