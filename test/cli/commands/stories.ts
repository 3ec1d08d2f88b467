import type { Test } from 'tap';
import type { Ended } from '../shell.js';
import { leafCommands } from './leaves.js';
import type { Line } from './line.js';
import { alike, onOneLine, recordsIn, valuesIn } from './outcome.js';
import { Place } from './place.js';
import type { Row, Way } from './row.js';
import type { Scene } from './scene.js';
import { type Medium, Stage } from './stage.js';
import { isRunAt, type Told, tell } from './story.js';
import { table } from './table.js';

const ways: readonly Way[] = ['http', 'local', 'direct'];

/** The lines of the table that `wanted` takes, in its order. */
export async function linesOf({ ids }: Scene, wanted: (row: Row) => boolean): Promise<Line[]> {
  const leaves = new Map((await leafCommands()).map((leaf) => [leaf.name, leaf]));
  return Object.entries(table).flatMap(([name, row]) => {
    const leaf = leaves.get(name);
    return leaf && wanted(row) ? [{ leaf, row, ids }] : [];
  });
}

/** All that was told in one place. */
export interface Story {
  place: Place;
  told: Map<string, Told>;
}

/** Runs the lines on each way, one after the other. */
export async function tellAll(t: Test, scene: Scene, { medium, lines }: { medium: Medium; lines: readonly Line[] }): Promise<Story[]> {
  const stage = await Stage.open(t, medium, scene.folder);
  const stories: Story[] = [];
  for (const way of ways) {
    const place = await Place.open(t, scene, { way, stage });
    stories.push({ place, told: await tell(place, lines) });
  }
  return stories;
}

/** Holds what was told of a command to what its row says, and to the same on each way. */
export async function judge(
  t: Test,
  line: Line,
  { pipe, terminal }: { pipe: readonly Story[]; terminal: readonly Story[] },
): Promise<void> {
  const { leaf, row } = line;
  await t.test(leaf.name, async (t) => {
    const toldIn = (stories: readonly Story[]) =>
      stories.filter(({ place }) => isRunAt(place, line)).map(({ place, told }) => ({ place, told: told.get(leaf.name) as Told }));
    const [first, ...others] = toldIn(pipe);
    if (!first) throw new Error(`Nothing ran '${leaf.name}'`);
    const { example, absent, json } = first.told;
    const code = row.interrupt ? 130 : (row.code ?? 0);
    t.equal(example.code, code, example.stderr);
    t.match(example.stdout, row.says, 'in a pipe');
    t.match(example.stderr, row.tells ?? /^$/, 'on standard error');
    if (absent)
      t.match(absent, { code: row.absent ?? 3, stdout: '', stderr: /^platform: .+\n/ }, 'the command fails for an unknown record');
    if (json) holdJson(t, json);
    const same = (told: Told) => ({ example: alike(told.example, row), absent: told.absent });
    for (const { place, told } of others) t.strictSame(same(told), same(first.told), `in a pipe, ${place.way}`);
    const screens = toldIn(terminal).map(({ place, told }) => ({ way: place.way, ended: told.example }));
    for (const { way, ended } of screens) {
      t.equal(ended.code, code, `on a terminal, ${way}: ${ended.stdout}`);
      holdScreen(t, { row, shown: ended.stdout, piped: alike(example, row).stdout });
      t.strictSame(alike(ended, row), alike(screens[0]?.ended as Ended, row), `on a terminal, ${way}`);
    }
  });
}

function holdJson(t: Test, { whole, field, picked }: NonNullable<Told['json']>): void {
  const records = recordsIn(JSON.parse(whole));
  const wanted = records.map((record) => ({ [field]: record[field] ?? null }));
  t.strictSame(recordsIn(JSON.parse(picked)), wanted, `--json ${field}`);
}

/** Returns a line of Markdown as a terminal shows it. */
function formatted(line: string): string {
  return line.replaceAll('`', '').replace(/^- /, '');
}

function holdScreen(t: Test, { row, shown, piped }: { row: Row; shown: string; piped: string }): void {
  if (row.shown) t.match(shown, row.shown, 'on a terminal');
  if (row.shown || row.interrupt) return;
  const text = onOneLine(shown);
  // A table shows the end of a UUID, a single record all of it.
  const isTable = /^[A-Z ]+\n/.test(shown);
  const isShown = (value: string) =>
    isTable && value === '<uuid>' ? /\b[0-9a-f]{8}\b/.test(text) : text.includes(value) || text.includes(formatted(value));
  const missing = valuesIn(piped).filter((value) => !isShown(value));
  t.strictSame(missing, [], `the terminal shows the same values: ${shown}`);
}
