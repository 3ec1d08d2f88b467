import type { Named } from './scene.js';
import type { Reaction } from './stage.js';

/** By which way a command reaches the platform. */
export type Way = 'http' | 'local' | 'direct';

/** How the example of a command's help is run, and what comes of it. */
export interface Row {
  /** Words of the example that stand for something else: for an id of the scene, by its name, or for a text after `=`. */
  given?: Readonly<Record<string, Named | `=${string}`>>;
  /** Default: all. `none`: it asks no platform, and is run once. */
  ways?: readonly Way[] | 'none';
  /** Input typed on a terminal. Default: a yes if the command has `--yes`. */
  typed?: readonly Reaction[];
  /** Arguments used in a pipe instead. Default: `--yes` if the command has it. */
  piped?: { args?: readonly string[]; input?: string };
  /** Interrupted once this stands in its output; its exit code is 130 then. */
  interrupt?: RegExp;
  /** Default 0. */
  code?: number;
  /** Pattern of its output in a pipe. */
  says: RegExp;
  /** Pattern of standard error. Default: empty. */
  tells?: RegExp;
  /** Run again until its output has this: something goes on beside it. */
  until?: RegExp;
  /** Parts of its output that are others each time, or on each way. */
  differs?: readonly RegExp[];
  /** The output on a terminal is another one, which must have this. */
  shown?: RegExp;
  /** A field for `--json`; the first column otherwise. */
  field?: string;
  /** The exit code where the ids that are given stand for nothing. Default 3. `none`: that is not tried. */
  absent?: number | 'none';
  needs?: 'docker';
  /** The test that runs its example, since that takes more than there is here. */
  elsewhere?: string;
}

export type Rows = Readonly<Record<string, Row>>;
