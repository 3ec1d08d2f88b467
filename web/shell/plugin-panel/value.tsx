import { Code, firstPart, jsonText, revealed, Time } from '../../kit/index.js';
import { useShellTexts } from '../texts/index.js';

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Longer values are shown in part. */
const max_length = 4_000;

/** Shows a plugin's value: a moment in the member's zone, other texts and numbers as they are, anything else as JSON. */
export function CellValue({ value }: { value: unknown }) {
  const text = useShellTexts();
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? text.panel.yes : text.panel.no;
  if (typeof value === 'string') return iso.test(value) ? <Time iso={value} /> : <bdi>{revealed(firstPart(value, max_length))}</bdi>;
  if (typeof value === 'number') return String(value);
  return <Code isInline text={firstPart(jsonText(value).replace(/\s*\n\s*/g, ' '), max_length)} />;
}
