import { type LeafCommand, wordsOf } from './leaves.js';
import type { Place } from './place.js';
import type { Row } from './row.js';
import type { Ids } from './scene.js';
import type { Reaction } from './stage.js';

/** A command of the program, how its example is run, and what stands for what in it. */
export interface Line {
  leaf: LeafCommand;
  row: Row;
  ids: Ids;
}

/** The words typed for a command, and its input. */
export interface Typed {
  args: readonly string[];
  input?: string;
  reactions: readonly Reaction[];
}

/** The example of the help, with what is really there in it. */
export function typedAt({ medium, url }: Place, line: Line): Typed {
  const { leaf, row } = line;
  const args = exampleOf(line).map((word) => (word === 'http://127.0.0.1:8080' ? url : word));
  const asks = leaf.flags.includes('--yes') && !args.includes('--yes');
  const ends: Reaction[] = row.interrupt ? [{ at: row.interrupt, type: 'interrupt' }] : [];
  if (medium === 'terminal') {
    const agreed: Reaction[] = asks ? [{ at: /\[y\/N\] /, type: 'y\r' }] : [];
    return { args, reactions: [...(row.typed ?? agreed), ...ends] };
  }
  const { args: more = asks ? ['--yes'] : [], input = '' } = row.piped ?? {};
  return { args: [...args, ...more], input, reactions: ends };
}

function exampleOf({ leaf, row, ids }: Line): string[] {
  const [example = ''] = leaf.examples.filter((each) => each.startsWith(leaf.name));
  return wordsOf(example).map((word) => meant(word, row, ids));
}

function meant(word: string, { given = {} }: Row, ids: Ids): string {
  const stands = Object.hasOwn(given, word) ? given[word] : undefined;
  if (stands === undefined) return word;
  return stands.startsWith('=') ? stands.slice(1) : ids[stands as keyof Ids];
}

/** The same with ids that nothing has; undefined where it takes none. */
export function absentLine(place: Place, { leaf, row, ids }: Line): Typed | undefined {
  const isNamed = Object.values(row.given ?? {}).some((stands) => !stands.startsWith('='));
  if (!isNamed || row.absent === 'none') return undefined;
  const nothing = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, nothingLike(id)])) as Ids;
  return typedAt(place, { leaf, row: { ...row, interrupt: undefined as never }, ids: nothing });
}

function nothingLike(id: string): string {
  if (/^\d+$/.test(id)) return '999999';
  return id.length === 64 ? 'a'.repeat(64) : '01900000-0000-7000-8000-000000000000';
}
