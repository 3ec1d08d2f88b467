import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ToolResult } from '../contract.js';

/** What is kept of an output, in characters; models get less. */
const longest = 256 * 1024;

/** What a server's tool gave, as text. Pictures and sounds are named, not shown. */
export function toolResult({ content, structuredContent, isError }: CallToolResult): ToolResult {
  const parts = content.map(textOf);
  if (parts.length === 0 && structuredContent) parts.push(JSON.stringify(structuredContent));
  const text = parts.join('\n').slice(0, longest).toWellFormed();
  return isError ? { output: '', error: text === '' ? 'The tool failed and gave no reason' : text } : { output: text };
}

function textOf(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[${block.resource.mimeType ?? 'bytes'} at ${block.resource.uri}]`;
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`;
    default:
      return `[${block.type}: ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`;
  }
}
