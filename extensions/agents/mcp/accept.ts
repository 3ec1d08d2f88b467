/** How an answer may be written: one JSON text, or an event stream that begins at once and can carry progress. */
export type Form = 'json' | 'stream';

/** Everything that MCP clients send is accepted, though the standard (Streamable HTTP) asks them to name both types. */
const anything = '*/*';

/**
 * Returns the form that an `Accept` header asks for (RFC 9110, 12.5.1); undefined if it admits neither. A stream only if it is named:
 * clients that send a wildcard or nothing read JSON.
 */
export function formOf(accept: string | null): Form | undefined {
  const ranges = new Map((accept?.trim() || anything).split(',').flatMap(rangeOf));
  if ((ranges.get('text/event-stream') ?? 0) > 0) return 'stream';
  const json = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get(anything) ?? 0;
  if (json > 0) return 'json';
  return (ranges.get('text/*') ?? 0) > 0 ? 'stream' : undefined;
}

/** A media range and its weight. */
function rangeOf(text: string): [string, number][] {
  const [range = '', ...parameters] = text.toLowerCase().split(';');
  const weight = parameters.map((each) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(each)?.[1]).find((found) => found !== undefined);
  return [[range.trim(), weight === undefined ? 1 : Number(weight)]];
}
