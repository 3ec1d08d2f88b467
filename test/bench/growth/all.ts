import { type Effort, thorough } from './effort.js';
import { extensions } from './extensions.js';
import { type Growing, grow } from './growth.js';
import { members } from './members.js';
import { messages } from './messages.js';
import { schedules } from './schedules.js';
import { sockets } from './sockets.js';
import { streams } from './streams.js';

/** How large each thing gets, and how much is asked at each size. */
export interface Extent {
  effort: Effort;
  /** Repetitions of what happens at one moment. */
  rounds: number;
  /** How long replies are written. */
  seconds: number;
  sizes: Readonly<Record<'members' | 'messages' | 'streams' | 'sockets' | 'schedules' | 'extensions', readonly number[]>>;
}

const decades = [100, 1_000, 10_000, 100_000];
const messageDecades = [1_000, 10_000, 100_000, 1_000_000];

/** The promised sizes; `full` adds ten million messages, which take half an hour. */
export function extent(full: boolean): Extent {
  const sizes = {
    members: decades,
    messages: full ? [...messageDecades, 10_000_000] : messageDecades,
    streams: [4, 40, 400, 2_000],
    sockets: [1, 10, 100, 1_000, 5_000],
    schedules: decades,
    extensions: [8, 25, 50, 100],
  };
  return { effort: thorough, rounds: 20, seconds: 10, sizes };
}

interface GrowthBenchmark {
  /** A sentence on what is measured; Markdown. */
  about: string;
  measure: () => ReturnType<typeof grow>;
}

/** The benchmark of each thing that grows, by its name; plots go into the folder. */
export function growthBenchmarks({ effort, rounds, seconds, sizes }: Extent, plots: string): Record<string, GrowthBenchmark> {
  const growing: Growing[] = [
    members(sizes.members, effort),
    messages(sizes.messages, effort),
    streams(sizes.streams, seconds),
    sockets(sizes.sockets, rounds),
    schedules(sizes.schedules, effort, rounds),
    extensions(sizes.extensions, effort),
  ];
  return Object.fromEntries(growing.map((one) => [`growth-${one.of}`, { about: aboutOf(one), measure: () => grow(one, plots) }]));
}

function aboutOf({ of, unit, sizes }: Growing): string {
  const [least, most] = [sizes[0], sizes.at(-1)].map((size) => size?.toLocaleString('en'));
  return `Processor time of one ${unit} while the ${of} grow in number from ${least} to ${most}, beside the same work by hand.`;
}
