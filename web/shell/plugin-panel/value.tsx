import { Code, Time } from '../../kit/index.js';
import { useShellTexts } from '../texts/index.js';

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Shows a plugin's value: a moment in the member's zone, other texts and numbers as they are, anything else as JSON. */
export function CellValue({ value }: { value: unknown }) {
  const text = useShellTexts();
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? text.panel.yes : text.panel.no;
  if (typeof value === 'string') return iso.test(value) ? <Time iso={value} /> : <bdi>{value}</bdi>;
  if (typeof value === 'number') return String(value);
  return <Code isInline text={JSON.stringify(value)} />;
}
