import type { Parsed } from './read.js';

/** A cron expression in a form that cron-parser interprets correctly. */
export interface Expression {
  /** Five fields of numbers. If neither day of month nor day of week is `*`, one of them must match. */
  readonly pattern: string;
  /** From 0 to 6, 0 is Sunday: a day of the week that must match as well, which a pattern can't express. */
  readonly weekdays: ReadonlySet<number> | undefined;
  /** Whether it contains all 24 hours. */
  readonly isHourly: boolean;
}

interface Field {
  name: string;
  first: number;
  last: number;
  /** The names of `first`, `first + 1` and so on. */
  names: readonly string[];
}

const fields: readonly Field[] = [
  { name: 'minute', first: 0, last: 59, names: [] },
  { name: 'hour', first: 0, last: 23, names: [] },
  { name: 'day of month', first: 1, last: 31, names: [] },
  { name: 'month', first: 1, last: 12, names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ') },
  { name: 'day of week', first: 0, last: 7, names: 'SUN MON TUE WED THU FRI SAT'.split(' ') },
];

/**
 * Parses the five fields of crontab(5): minute, hour, day of month, month, day of week, separated by blanks. A field is
 * a list (`1,15`) of `*`, values and ranges (`9-17`); `*` or a range may be followed by a step (`9-17/2`). Months and
 * days of the week may be English names (`JAN`, `mon`), also in lists and ranges. 0 and 7 are Sunday. A range starts
 * with its smaller end; a step is no larger than its field, since 90 in the minute field would not mean 90 minutes.
 * If day of month and day of week are both restricted, one of them must match, as in crontab(5). A field that starts
 * with `*` counts as unrestricted even with a step (Vixie cron's `DOM_STAR` and `DOW_STAR`), and then both must match:
 * `1-7` with every 7th day of the week is the first Sunday.
 */
export function readExpression(text: string): Parsed<Expression> {
  const parts = text.match(/[^ \t]+/g) ?? [];
  if (parts.length !== fields.length) return { faults: [`A cron expression has five fields, but '${text}' has ${parts.length}`] };
  const faults: string[] = [];
  const sets = fields.map((field, index) => readField(field, parts[index]!, faults)) as Five;
  if (faults.length > 0) return { faults };
  const [minutes, hours, days, months, weekdays] = sets;
  if (weekdays.delete(7)) weekdays.add(0);
  const mustMatchBoth = parts[2]!.startsWith('*') || parts[4]!.startsWith('*');
  const [isAnyDay, isAnyWeekday] = [days.size === 31, weekdays.size === 7];
  const isEveryDay = !mustMatchBoth && (isAnyDay || isAnyWeekday);
  const hasWeekdaysApart = mustMatchBoth && !isAnyDay && !isAnyWeekday;
  const dayFields = [isEveryDay ? '*' : fieldOf(days, 31), isEveryDay || hasWeekdaysApart ? '*' : fieldOf(weekdays, 7)];
  return {
    value: {
      pattern: [fieldOf(minutes, 60), fieldOf(hours, 24), dayFields[0], fieldOf(months, 12), dayFields[1]].join(' '),
      weekdays: hasWeekdaysApart ? weekdays : undefined,
      isHourly: hours.size === 24,
    },
  };
}

type Five = [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];

function fieldOf(values: Set<number>, size: number): string {
  return values.size === size ? '*' : [...values].join(',');
}

/** Returns the values of a field; adds its first fault to `faults`. */
function readField(field: Field, part: string, faults: string[]): Set<number> {
  const values = new Set<number>();
  for (const item of part.split(',')) {
    const span = readItem(field, item);
    if (typeof span === 'string') {
      faults.push(`In the ${field.name} '${part}', ${span}`);
      break;
    }
    for (let value = span.first; value <= span.last; value += span.step) values.add(value);
  }
  return values;
}

interface Span {
  first: number;
  last: number;
  step: number;
}

/** Returns the values of a list item, or its fault. */
function readItem(field: Field, item: string): Span | string {
  const [whole, from, to, every] = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(item) ?? [];
  if (whole === undefined) return `'${item}' is not a value, range or step`;
  const step = Number(every ?? 1);
  if (step < 1 || step > field.last - field.first + 1) return `the step ${every} is not one of 1 to ${field.last - field.first + 1}`;
  if (from === undefined) return { first: field.first, last: field.last, step };
  if (every !== undefined && to === undefined) return `the step of '${item}' needs a range, such as ${from}-${field.last}/${every}`;
  const [first, last] = [readValue(field, from), readValue(field, to ?? from)];
  if (first === undefined) return `'${from}' is not one of ${expectedText(field)}`;
  if (last === undefined) return `'${to}' is not one of ${expectedText(field)}`;
  return first <= last ? { first, last, step } : `the range '${item}' ends before it begins`;
}

function readValue({ first, last, names }: Field, text: string): number | undefined {
  const name = names.indexOf(text.toUpperCase());
  const value = name >= 0 ? first + name : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= first && value <= last ? value : undefined;
}

function expectedText({ first, last, names }: Field): string {
  return `${first} to ${last}${names.length > 0 ? ` or ${names[0]} to ${names.at(-1)}` : ''}`;
}
