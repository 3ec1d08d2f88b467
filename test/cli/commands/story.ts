import { setTimeout as pause } from 'node:timers/promises';
import type { Ended } from '../shell.js';
import { absentLine, type Line, typedAt } from './line.js';
import { lasting, recordsIn } from './outcome.js';
import type { Place } from './place.js';

const patience_ms = 20_000;

/** Result of a command in one place. */
export interface Told {
  example: Ended;
  /** With ids that nothing has, where it takes any. */
  absent?: Ended | undefined;
  /** As JSON, and of that one field alone, where it only reads. */
  json?: { whole: string; field: string; picked: string };
}

/** Runs all commands in one place, one after the other; gives what came of each by its name. */
export async function tell(place: Place, lines: readonly Line[]): Promise<Map<string, Told>> {
  const told = new Map<string, Told>();
  for (const line of lines) if (isRunAt(place, line)) told.set(line.leaf.name, await tellOne(place, line));
  return told;
}

/** Whoever asks no platform is run in one place of each medium. */
export function isRunAt({ way }: Place, { row }: Line): boolean {
  if (row.elsewhere !== undefined) return false;
  return row.ways === 'none' ? way === 'local' : (row.ways?.includes(way) ?? true);
}

async function tellOne(place: Place, line: Line): Promise<Told> {
  const { leaf, row } = line;
  const nothing = place.medium === 'pipe' ? absentLine(place, line) : undefined;
  const absent = nothing && lasting(await place.run(nothing.args, nothing), place);
  const { args, ...answers } = typedAt(place, line);
  let ended = await place.run(args, answers);
  for (const end = Date.now() + patience_ms; row.until?.test(ended.stdout) === false && Date.now() < end; ) {
    await pause(50);
    ended = await place.run(args, answers);
  }
  const example = lasting(ended, place);
  return {
    example,
    absent,
    ...(place.medium === 'pipe' && leaf.isRead && row.code === undefined ? { json: await asJson(place, args, row.field) } : {}),
  };
}

async function asJson(place: Place, args: readonly string[], wanted: string | undefined): Promise<NonNullable<Told['json']>> {
  const { stdout: whole } = await place.run([...args, '--json']);
  const field = wanted ?? Object.keys(recordsIn(JSON.parse(whole))[0] ?? {})[0];
  // Without records there are no fields to select.
  if (field === undefined) return { whole, field: '', picked: whole };
  return { whole, field, picked: (await place.run([...args, '--json', field])).stdout };
}
