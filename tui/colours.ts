/** Whether a terminal's text may be coloured (https://no-color.org). */
export function isColoured({ isTTY }: { isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
