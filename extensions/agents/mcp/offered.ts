import { type Fields, isRecord } from '../json.js';

/** Tool as a server describes it, reduced to what is used here. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON Schema. A tool's input is always an object. */
  input: object;
}

/** Reads a server's tools, more leniently than the standard. A malformed tool is skipped without affecting the others. */
export function readTools(listed: unknown, onMalformed: (name: string) => void): OfferedTool[] {
  return (Array.isArray(listed) ? (listed as unknown[]) : []).flatMap((entry) => {
    const tool = isRecord(entry) ? readTool(entry) : undefined;
    if (!tool) onMalformed(String(isRecord(entry) ? entry.name : entry).slice(0, 100));
    return tool ?? [];
  });
}

function readTool({ name, description, inputSchema }: Fields): OfferedTool | undefined {
  const input = inputSchema ?? { type: 'object' };
  if (typeof name !== 'string' || !isRecord(input) || !mayBeObject(input)) return undefined;
  return { name, description: typeof description === 'string' ? description : '', input };
}

/** Returns whether a schema can describe an object. Some servers omit the type or list alternatives. */
function mayBeObject({ type, properties }: Fields): boolean {
  const isNamed = type === undefined || [type].flat().includes('object');
  return isNamed && (properties === undefined || properties === null || isRecord(properties));
}
