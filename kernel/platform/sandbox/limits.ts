/** A line on the pipe, its newline included. What is longer travels in pieces. */
export const frame_bytes = 65_536;

/** One message, however many lines it takes: an input, an answer, the body of a fetch. */
export const message_bytes = 16 * 1024 * 1024;

/** One event of a stream. */
export const event_bytes = 262_144;

/** What waits to be written while streams go on producing; each event counts for at least {@link event_cost}. */
export const streams_ahead_bytes = 128 * 1024;
export const event_cost = 1_024;

/** What is read before everything else in the process has had its turn. */
export const turn_bytes = 64 * 1024;

/** What may be under way on the pipe for more of long messages and streams to be written; short ones go at any time, and overtake. */
export const pipe_bytes = 2 * turn_bytes;

/**
 * What a stream may send ahead of its reader. Enough for it to be read without a pause; of a hundred streams that are not read it lies
 * in the young generation of the reader's heap, where each collection would move it.
 */
export const window_bytes = 65_536;

/** Messages that have begun to arrive and are not whole yet. */
export const open_messages = 512;

/** What may wait to be written. Beyond it new work is refused; at twice as much the other side is given up. */
export const queued_bytes = 32 * 1024 * 1024;

/** Requests of one side under way at once, streams included. */
export const requests_in_flight = 256;

/** Of what the other side's requests under way have brought. */
export const requests_bytes = 32 * 1024 * 1024;

/** Within {@link flood_window_ms}, frames that nobody waits for (long ones count more): late answers are normal, a flood is not. */
export const useless_frames = 10_000;

/** Within {@link flood_window_ms}, log lines. Of those in one second, only the first {@link log_lines_per_second} are kept. */
export const log_lines = 50_000;
export const log_lines_per_second = 200;

/** A log line. No longer one is made by the plugin's own side, whose message and fields are cut. */
export const log_bytes = 131_072;

/** What a plugin may emit: each event's payload as JSON, and in a minute so many events, of so many bytes together. */
export const emitted_length = 65_536;
export const emits_per_minute = 6_000;
export const emitted_per_minute = 16 * 1024 * 1024;

/** What may wait to be written for a plugin's next log line to be added to it. */
export const log_ahead_bytes = 4 * 1024 * 1024;

/** How much of a plugin's schema is evaluated in the platform's process for one input, and how much in the plugin's own, in steps. */
export const steps_here = 500;
export const steps_in_process = 300_000;

/** Fetches of a plugin whose bodies are read at once; the others wait for their turn once their answer has begun. */
export const bodies_at_once = 4;

export const flood_window_ms = 10_000;

/** How long the reader that leaves a stream waits for the end of its source. */
export const leave_limit_ms = 5_000;
