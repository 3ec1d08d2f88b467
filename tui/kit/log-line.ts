/** A line of a log, or a text in Markdown that makes lines. */
export type LogLine = string | { markdown: string };
