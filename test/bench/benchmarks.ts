import { dashboard } from './dashboard.js';
import { extent, growthBenchmarks } from './growth/all.js';
import { guessedPasswords } from './guessed-passwords.js';
import { hotSwap } from './hot-swap.js';
import { install, installMemory } from './install.js';
import { instances } from './instances.js';
import { logins } from './logins.js';
import { nodes } from './nodes.js';
import { notifications } from './notifications.js';
import { people } from './people.js';
import { pluginSchemas } from './plugin-schemas.js';
import { pluginCalls, pluginPings } from './plugins.js';
import { requests } from './requests.js';
import { rooms } from './rooms.js';
import { schedules } from './schedules.js';
import { search } from './search.js';
import { sends } from './sends.js';
import { sockets } from './sockets.js';
import { startUp } from './start-up.js';
import { streamed } from './streams.js';
import { web } from './web.js';

type Row = Record<string, unknown>;

/** A benchmark as the command line names it. */
export interface Benchmark {
  /** A sentence on what is measured, and beside what; Markdown. */
  about: string;
  measure: () => Promise<Row | Row[]>;
}

/** Returns all benchmarks by their names, in the order in which they run. `full` adds the largest sizes; `plots` is the folder for plots. */
export function benchmarksOf({ full, plots }: { full: boolean; plots: string }): Readonly<Record<string, Benchmark>> {
  return {
    'start-up': {
      about:
        'Time until programs are ready, beside an empty program (`node -e 0`; for `--help` an empty commander program), and the memory (PSS) of a server without load.',
      measure: startUp,
    },
    requests: {
      about: 'Requests a second on 32 connections, beside bare hapi with the same token check, validation and SQL.',
      measure: requests,
    },
    logins: {
      about: 'Twenty logins at once, beside as many password hashes alone, and how late other requests are meanwhile.',
      measure: logins,
    },
    'guessed-passwords': {
      about: 'Logins from fifty addresses, five at a time, while twenty networks guess passwords without a pause.',
      measure: guessedPasswords,
    },
    sockets: { about: 'One frame to 1,000 WebSocket clients, until the last one has it, beside the bare package `ws`.', measure: sockets },
    rooms: {
      about:
        'One stored frame, and a message, to a room of 1,000 members with a WebSocket client each, until the last one has it, beside the bare package `ws`; a list of rooms with unread messages and mentions beside the same statement; and messages to rooms of several sizes.',
      measure: rooms,
    },
    search: {
      about: 'Searches of several kinds among 1,000,000 messages over HTTP, beside reading as many messages by their primary key.',
      measure: () => search(),
    },
    schedules: {
      about:
        '10,000 schedules that are due at one moment, the same with the server killed midway, and 100,000 schedules at rest; beside the fewest statements that leave the same rows.',
      measure: schedules,
    },
    notifications: { about: 'Lists, counts and marks of 100,000 notifications of one member, over HTTP.', measure: () => notifications() },
    nodes: {
      about:
        "Creating a node beside `docker run -d`, a command on it beside the engine's API by hand, and the processor time for watching fifty nodes.",
      measure: nodes,
    },
    dashboard: { about: 'Keys pressed in the terminal dashboard while its journal shows 1,000 events a second.', measure: dashboard },
    web: {
      about:
        'The web app in Chromium. First and further visits on a processor slowed down four times and a network of 1.6 Mbit/s and 150 ms, beside a plain page of as many bytes; switches on this network, beside the request for the messages; typing in a conversation of 100,000 messages while five AI employees answer there, beside an empty field on a plain page, from the key until the next frame; the memory of a tab after minutes of replies (`PLATFORM_BENCH_MINUTES`, default 5); and a server beside one without the web app. Sizes are of compressed bodies.',
      measure: () => web(),
    },
    streams: {
      about:
        "500 replies at once with 20 pieces a second each, from the model's piece to the client's, while other readers never read; beside a bare relay.",
      measure: streamed,
    },
    sends: {
      about: '100 messages a second for a minute, to oneself and to an AI employee that answers each, beside bare hapi with one insert.',
      measure: () => sends(),
    },
    'plugin-calls': {
      about: "HTTP requests to an operation in a plugin's process, beside the same code inside the platform.",
      measure: pluginCalls,
    },
    'plugin-pings': {
      about: 'A call to a plugin every 10 ms while uploads and unread streams go through the same plugin.',
      measure: pluginPings,
    },
    'plugin-schemas': {
      about:
        "Another request while hostile inputs for a plugin's schema arrive, beside inputs of the same length that cost nothing to check.",
      measure: pluginSchemas,
    },
    instances: {
      about:
        'Requests to one, two and three instances on PostgreSQL behind a balancer, beside as many of bare hapi with the same tables and statements.',
      measure: instances,
    },
    people: {
      about:
        "Simulated people with the actions and frequencies of [Mattermost's load test](https://github.com/mattermost/mattermost-load-test-ng), added until the mean exceeds 0.1 s, the 99th percentile 2 s or errors 0.025 % of the requests of a minute. Whoever has not come in after three minutes breaks it too. That is the next limit: everybody is told who connects, and who connects is told of everybody. A core is one that the servers' processes use; the people take cores of the same machine. Below: actions and requests of theirs that need none of ours.",
      measure: () => people(),
    },
    install: {
      about: 'An approved plugin of 1 MB, from the request until it serves, beside unpacking and starting an empty program.',
      measure: install,
    },
    'install-memory': { about: 'Memory after 200 installations and removals of a plugin.', measure: installMemory },
    'hot-swap': {
      about: 'Replacing an extension 200 times while 32 connections ask, post and wait for slow calls.',
      measure: async () => [await hotSwap('hello', 200), await hotSwap('chat', 200), await hotSwap('members', 200)],
    },
    'hot-swap-memory': {
      about: 'Memory after 1,000 replacements of a small extension and 200 of a large one.',
      measure: async () => [await hotSwap('hello', 1000), await hotSwap('chat', 200)],
    },
    ...growthBenchmarks(extent(full), plots),
  };
}
