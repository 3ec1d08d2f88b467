/** Limit of a line on the pipe, with its newline. Longer messages are split. */
export const frame_bytes = 65_536;

/** Limit of one message over all its lines: an input, an answer, the body of a fetch. */
export const message_bytes = 16 * 1024 * 1024;

/** Limit of one event of a stream. */
export const event_bytes = 262_144;

/** Queued bytes at which streams pause; each event counts for at least {@link event_cost}. */
export const streams_ahead_bytes = 128 * 1024;
export const event_cost = 1_024;

/** Bytes read before the event loop gets a turn. */
export const turn_bytes = 64 * 1024;

/** Unacknowledged bytes at which long messages and streams pause; short messages are always sent, and overtake. */
export const pipe_bytes = 2 * turn_bytes;

/**
 * Bytes that a stream may send ahead of its reader. Enough to avoid pauses; with a hundred unread streams the buffers are
 * in the young generation of the reader's heap, where each collection would move them.
 */
export const window_bytes = 65_536;

/** Limit of incomplete messages. */
export const open_messages = 512;

/** Limit of queued bytes. Above it new work is refused; at twice the limit the other side is disconnected. */
export const queued_bytes = 32 * 1024 * 1024;

/** Limit of concurrent requests of one side, including streams. */
export const requests_in_flight = 256;

/** Limit of the bytes of all concurrent requests of the other side. */
export const requests_bytes = 32 * 1024 * 1024;

/** Limit of unexpected frames within {@link flood_window_ms} (long ones count more): late answers are normal, a flood is not. */
export const unexpected_frames = 10_000;

/** Limit of log lines within {@link flood_window_ms}. Of those in one second, only the first {@link log_lines_per_second} are stored. */
export const log_lines = 50_000;
export const log_lines_per_second = 200;

/** Limit of a log line. The plugin's side truncates message and fields to it. */
export const log_bytes = 131_072;

/** Limits of emitted events: payload of each as JSON, events a minute, and their bytes a minute. */
export const emitted_length = 65_536;
export const emits_per_minute = 6_000;
export const emitted_per_minute = 16 * 1024 * 1024;

/** Queued bytes above which a plugin's log lines are dropped. */
export const log_ahead_bytes = 4 * 1024 * 1024;

/** Limits of schema evaluation for one input, in steps: in the platform's process, and in the plugin's. */
export const steps_here = 500;
export const steps_in_process = 300_000;

/** Limit of fetches of a plugin whose bodies are read concurrently; others wait after their response has started. */
export const bodies_at_once = 4;

export const flood_window_ms = 10_000;

/** Limit of the wait for a stream's source to end after its reader has left. */
export const leave_limit_ms = 5_000;
