import { type Fields, isRecord } from '../json.js';

/** A tool as a server offers it, as far as it is used here. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON Schema; any tool's input is an object. */
  input: object;
}

/** Reads a server's tools, more leniently than the standard. One that cannot be read costs the server no other. */
export function readTools(offered: unknown, unreadable: (name: string) => void): OfferedTool[] {
  return (Array.isArray(offered) ? (offered as unknown[]) : []).flatMap((each) => {
    const tool = isRecord(each) ? readTool(each) : undefined;
    if (!tool) unreadable(String(isRecord(each) ? each.name : each).slice(0, 100));
    return tool ?? [];
  });
}

function readTool({ name, description, inputSchema }: Fields): OfferedTool | undefined {
  const input = inputSchema ?? { type: 'object' };
  if (typeof name !== 'string' || !isRecord(input) || !mayBeObject(input)) return undefined;
  return { name, description: typeof description === 'string' ? description : '', input };
}

/** Some leave out the type, or have alternatives in its place. */
function mayBeObject({ type, properties }: Fields): boolean {
  const isNamed = type === undefined || [type].flat().includes('object');
  return isNamed && (properties === undefined || properties === null || isRecord(properties));
}
