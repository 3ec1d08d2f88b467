import type { Read } from './read.js';

/** A cron expression in a form that cron-parser reads as it is meant. */
export interface Expression {
  /** Five fields of numbers. If neither day of month nor day of week is `*`, one of them has to match. */
  readonly pattern: string;
  /** 0 to 6, 0 is Sunday: a day of the week that has to match as well, which a pattern can't say. */
  readonly weekdays: ReadonlySet<number> | undefined;
  /** Whether it names all 24 hours. */
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
 * Reads the five fields of crontab(5): minute, hour, day of month, month, day of week, with blanks between.
 * A field is a list (`1,15`) of `*`, values and ranges (`9-17`); after `*` or a range may follow a step
 * (`9-17/2`). Months and days of the week also go by their English names (`JAN`, `mon`), in lists and
 * ranges too. 0 and 7 are Sunday. A range begins with its smaller end; a step is no larger than its field,
 * since 90 in the minute field would not mean 90 minutes.
 *
 * Where day of month and day of week are both restricted, one of them has to match, as in crontab(5). A
 * field that begins with `*` counts as unrestricted even if a step follows (Vixie cron's `DOM_STAR` and
 * `DOW_STAR`), and then both have to match: `1-7` with every 7th day of the week is the first Sunday.
 */
export function readExpression(text: string): Read<Expression> {
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

/** The values of a field; its first fault goes to `faults`. */
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

/** The values of one item of a list, or what is wrong with it. */
function readItem(field: Field, item: string): Span | string {
  const [whole, from, to, every] = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(item) ?? [];
  if (whole === undefined) return `'${item}' is no value, range or step`;
  const step = Number(every ?? 1);
  if (step < 1 || step > field.last - field.first + 1) return `the step ${every} is not one of 1 to ${field.last - field.first + 1}`;
  if (from === undefined) return { first: field.first, last: field.last, step };
  if (every !== undefined && to === undefined) return `the step of '${item}' needs a range, such as ${from}-${field.last}/${every}`;
  const [first, last] = [readValue(field, from), readValue(field, to ?? from)];
  if (first === undefined) return `'${from}' is not one of ${wanted(field)}`;
  if (last === undefined) return `'${to}' is not one of ${wanted(field)}`;
  return first <= last ? { first, last, step } : `the range '${item}' ends before it begins`;
}

function readValue({ first, last, names }: Field, text: string): number | undefined {
  const name = names.indexOf(text.toUpperCase());
  const value = name >= 0 ? first + name : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= first && value <= last ? value : undefined;
}

function wanted({ first, last, names }: Field): string {
  return `${first} to ${last}${names.length > 0 ? ` or ${names[0]} to ${names.at(-1)}` : ''}`;
}
