const segments = new Intl.Segmenter();

/** The characters of a text, as people count them. */
export function charactersOf(text: string): string[] {
  return Array.from(segments.segment(text), ({ segment }) => segment);
}

/** A line after a key of {@link Binding}; undefined where the key types nothing. */
export function typed(line: string, key: string): string | undefined {
  if (key === 'backspace' || key === 'delete') return charactersOf(line).slice(0, -1).join('');
  if (key === 'ctrl-u') return '';
  return Array.from(key).length === 1 ? line + key : undefined;
}
