/** Bounds of a benchmark's figures. */
export interface Bound {
  /** The figure, by its key in a row. */
  figure: string;
  /** The rows that it counts for; all that have the figure where left out. */
  where?: Readonly<Record<string, unknown>>;
  max?: number;
  min?: number;
}

export interface Verdict {
  bound: string;
  found: readonly unknown[];
  isKept: boolean;
}

const swaps: readonly Bound[] = [
  { figure: 'failed', max: 0 },
  { figure: 'swap_ms_median', max: 20 },
  { figure: 'loop_delay_ms_max', max: 60 },
];

/** Costs the same at every size, apart from a larger index. */
const flat = (what: string): Bound => ({ figure: 'growth', where: { what }, max: 1.5 });
/** The same of what is so cheap that the machine's own ups and downs show: beside the limit, whose statement finds one row by its key. */
const flatAsLimit = (what: string): Bound => ({ figure: 'growth_beside_limit', where: { what }, max: 1.5 });
/** Grows with the number of digits. */
const logarithmic = (what: string): Bound => ({ figure: 'growth', where: { what }, max: 3 });

/** For each benchmark what it promises. */
export const bounds: Readonly<Record<string, readonly Bound[]>> = {
  'start-up': [
    { figure: 'ratio', where: { what: 'serve until it listens' }, max: 11 },
    { figure: 'ratio', where: { what: '--help' }, max: 1.8 },
    { figure: 'ratio', where: { what: 'member list over the socket' }, max: 6 },
    { figure: 'mb', max: 107 },
  ],
  // `/healthz` is told beside it; nobody waits for that one.
  requests: [{ figure: 'ratio', where: { path: '/api/chat/sessions?limit=20' }, min: 0.8 }],
  logins: [{ figure: 'loop_delay_ms_p99', max: 20 }],
  'guessed-passwords': [
    { figure: 'refused', max: 0 },
    { figure: 'login_ms_max', max: 5_000 },
  ],
  sockets: [{ figure: 'ratio', max: 1.3 }],
  rooms: [
    { figure: 'ratio', max: 1.3 },
    { figure: 'times_limit', max: 1.5 },
    { figure: 'times_smallest', max: 1.3 },
  ],
  search: [{ figure: 'ms_p95', max: 50 }],
  notifications: [{ figure: 'ms_p95', max: 50 }],
  web: [
    { figure: 'kib', where: { what: 'log-in, first visit' }, max: 100 },
    { figure: 'kib', where: { what: 'conversation, first visit' }, max: 250 },
    { figure: 'ratio', where: { what: 'log-in, first visit' }, max: 1.5 },
    { figure: 'ratio', where: { what: 'conversation, first visit' }, max: 2 },
    { figure: 'ratio', where: { what: 'typing while five replies stream' }, max: 2 },
    { figure: 'ratio', where: { what: 'switching to another conversation' }, max: 1.5 },
    { figure: 'heap_growth', max: 1.2 },
    { figure: 'nodes_growth', max: 1.1 },
    { figure: 'listeners_growth', max: 1.1 },
    { figure: 'ratio', where: { what: 'start of a server with the web app' }, max: 1.1 },
    { figure: 'ratio', where: { what: 'memory (PSS) of a server with the web app' }, max: 1.1 },
  ],
  nodes: [
    { figure: 'ratio', max: 1.3 },
    { figure: 'cpu_percent', max: 5 },
  ],
  dashboard: [
    { figure: 'events_per_s', min: 950 },
    { figure: 'key_to_frame_ms_p99', max: 100 },
    { figure: 'cpu_percent', max: 50 },
  ],
  streams: [
    { figure: 'lost', max: 0 },
    { figure: 'ms_p99', max: 100 },
    { figure: 'kb_held_for_each_of_them', max: 512 },
  ],
  sends: [
    { figure: 'lost', max: 0 },
    { figure: 'failed', max: 0 },
    { figure: 'ms_p99', max: 50 },
  ],
  schedules: [
    { figure: 'surplus', max: 0 },
    { figure: 'without_row', max: 0 },
    { figure: 'left_open', max: 0 },
    { figure: 'max_at_once', max: 50 },
    { figure: 'claimed_ms_p99', max: 1_000 },
    { figure: 'started_ms_p99', max: 4_000 },
    { figure: 'loop_delay_ms_p99', max: 50 },
    { figure: 'cpu_percent', max: 1 },
    { figure: 'list_ms_p95', max: 20 },
  ],
  instances: [
    { figure: 'ratio', where: { database: 'postgres' }, max: 1.3 },
    { figure: 'ratio_to_single_process', where: { database: 'postgres' }, max: 1.3 },
    { figure: 'ratio_beside_limit', where: { database: 'postgres' }, max: 1.3 },
  ],
  people: [
    { figure: 'people_per_core', min: 2_151 },
    { figure: 'errors_percent', max: 0.025 },
    { figure: 'lost_sockets', max: 0 },
  ],
  'plugin-calls': [{ figure: 'ratio', min: 0.8 }],
  'plugin-pings': [
    { figure: 'ms_p99', where: { what: '3 uploads of 50 MiB by 1 Gbit/s, 100 unread streams' }, max: 20 },
    { figure: 'grown_mb', max: 400 },
  ],
  'plugin-schemas': [{ figure: 'ratio', max: 1.5 }],
  install: [{ figure: 'install_ms_median', max: 300 }],
  'install-memory': [{ figure: 'memory_growth', max: 0.1 }],
  'hot-swap': swaps,
  'hot-swap-memory': [
    { figure: 'failed', max: 0 },
    { figure: 'memory_growth', max: 0.1 },
  ],
  'growth-members': [
    flat('the first page of all'),
    logarithmic('the first page of people'),
    flatAsLimit('one by its id'),
    flat('the first page of contacts'),
    flat('a page of contacts with whom one has not talked'),
    flat('adding an AI employee'),
    // All names are looked through, as by hand.
    { figure: 'times_limit', where: { what: 'one by a part of its name' }, max: 3 },
  ],
  'growth-messages': [
    logarithmic('a search for a frequent word'),
    flat('the newest page of a long session'),
    flat('a page from its middle'),
    flat('a page of sessions'),
    flat('the unread count of a session'),
    logarithmic('a send'),
    // Where little is found all sections of the index are asked, one for each 16,384 messages, and all that has one of two words.
    { figure: 'cpu_us', where: { what: 'a search for a rare word', size: 1_000_000 }, max: 50_000 },
    { figure: 'cpu_us', where: { what: 'a search for two that are never together', size: 1_000_000 }, max: 50_000 },
  ],
  'growth-streams': [flat('a piece to one of its readers')],
  'growth-sockets': [flat('a frame to one of them')],
  'growth-schedules': [flat('a planned run'), flat('the first page of the list'), flat('one by its id')],
  'growth-extensions': [flat('a start, an extension'), flat('a request to one of them'), flat('the replacement of one of them')],
};

/** Whether the rows keep to the bounds. A figure that was not measured keeps to none. */
export function judge(rows: readonly Readonly<Record<string, unknown>>[], wanted: readonly Bound[]): Verdict[] {
  return wanted.map((bound) => {
    const { figure, where = {} } = bound;
    const found = rows.filter((row) => figure in row && Object.entries(where).every(([key, value]) => row[key] === value));
    const values = found.map((row) => row[figure]);
    return { bound: sentenceOf(bound), found: values, isKept: values.length > 0 && values.every((value) => keeps(value, bound)) };
  });
}

function keeps(value: unknown, { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY }: Bound): boolean {
  return typeof value === 'number' && value <= max && value >= min;
}

function sentenceOf({ figure, where = {}, max, min }: Bound): string {
  const of = Object.values(where).join(', ');
  return `${figure}${of && ` of ${of}`} ${max === undefined ? `at least ${min}` : `at most ${max}`}`;
}
