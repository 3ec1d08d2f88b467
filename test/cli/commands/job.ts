/** A command line, and where it runs. */
export interface Job {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Its standard input, where that is no terminal. */
  input: string;
}

/** Mark after the output of each command. */
export function mark(code: number): string {
  return `␞${code}␞`;
}

/** Returns the text before the first mark, its exit code, and the rest; undefined without a mark. */
export function cutAtMark(text: string): { output: string; code: number; rest: string } | undefined {
  const found = /␞(\d+)␞/.exec(text);
  if (found === null) return undefined;
  return { output: text.slice(0, found.index), code: Number(found[1]), rest: text.slice(found.index + found[0].length) };
}
