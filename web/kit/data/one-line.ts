const max_length = 140;

/** Returns the beginning of a text of several lines on one line, without the marks of Markdown. */
export function oneLine(content: string): string {
  return content
    .replace(/[`*_#>]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, max_length);
}
