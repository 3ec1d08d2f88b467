const minute = 60_000;

/** A minute, and what the clock of a zone shows then, as if that were UTC. */
export interface Minute {
  time: number;
  wall: number;
}

/** The minutes of a window, as Intl shows them. */
export function minutesOf(timeZone: string, { from, to }: { from: number; to: number }): Minute[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return Array.from({ length: (to - from) / minute + 1 }, (_, index) => from + index * minute).map((time) => ({
    time,
    wall: Date.parse(`${format.format(time)}Z`),
  }));
}

/**
 * The planned times among the minutes of a window, by the words of the rule alone: each is looked at. The
 * wall times that are skipped are those between two minutes that follow each other.
 */
export function naiveTimes(expression: string, shown: readonly Minute[]): number[] {
  const matches = matcher(expression);
  if (everyHour(expression)) return shown.filter(({ wall }) => matches(wall)).map(({ time }) => time);
  const times: number[] = [];
  const seen = new Set<number>();
  for (const [index, { time, wall }] of shown.entries()) {
    const skipped = index === 0 ? [] : between(shown[index - 1]!.wall, wall);
    if ((matches(wall) && !seen.has(wall)) || skipped.some(matches)) times.push(time);
    seen.add(wall);
  }
  return times;
}

/** The wall times after one and before another. */
function between(before: number, after: number): number[] {
  const walls: number[] = [];
  for (let wall = before + minute; wall < after; wall += minute) walls.push(wall);
  return walls;
}

function everyHour(expression: string): boolean {
  const hours = expression.split(' ')[1] as string;
  return Array.from({ length: 24 }, (_, hour) => hour).every((hour) => admits(hours, hour, 0, 23));
}

/** Whether a wall time matches, from the text of the expression, by counting through each field's items. */
function matcher(expression: string): (wall: number) => boolean {
  const [minutes, hours, days, months, weekdays] = expression.split(' ');
  const both = days!.startsWith('*') || weekdays!.startsWith('*');
  return (wall) => {
    const date = new Date(wall);
    if (!admits(minutes!, date.getUTCMinutes(), 0, 59) || !admits(hours!, date.getUTCHours(), 0, 23)) return false;
    const day = admits(days!, date.getUTCDate(), 1, 31);
    const weekday = admits(weekdays!, date.getUTCDay(), 0, 7) || (date.getUTCDay() === 0 && admits(weekdays!, 7, 0, 7));
    return admits(months!, date.getUTCMonth() + 1, 1, 12) && (both ? day && weekday : day || weekday);
  };
}

function admits(field: string, value: number, first: number, last: number): boolean {
  return field.split(',').some((item) => {
    const [range, step] = item.split('/');
    const [low, high] = range === '*' ? [first, last] : range!.split('-').map(Number);
    return value >= low! && value <= (high ?? low!) && (value - low!) % Number(step ?? 1) === 0;
  });
}
