import type { Tool, ToolUse } from '../../../../kernel/contract/index.js';
import { type Files, type FileUse, max_entries, max_written, type ReadFile } from '../files/files.js';
import type { Entry } from '../files/listing.js';
import type { NodeWorkspace } from './node-workspace.js';
import { ToolInput } from './shapes.js';

const path = { type: 'string', description: 'Path relative to the working folder, or absolute' };
/** Default number of lines. More would not fit into the 256 KiB of an answer anyway, unless most were empty. */
const max_lines = 100_000;
const max_integer = Number.MAX_SAFE_INTEGER;

/** Creates the tools that read, write and list files on the node. */
export function fileTools(workspace: NodeWorkspace, files: Files): Tool[] {
  const onNode: OnNode = (use, work) => workspace.work(use, (where) => work({ ...where, signal: use.signal }));
  return [readTool(onNode, files), writeTool(onNode, files), listTool(onNode, files)];
}

/** Runs a file operation in the container of a call's node, until the call is stopped. */
type OnNode = <T>(use: ToolUse, work: (where: FileUse) => Promise<T>) => Promise<T>;

function readTool(onNode: OnNode, files: Files): Tool {
  return {
    name: 'read_file',
    title: 'read_file',
    description: 'Reads a text file on your work node: whole, or a part of it by lines or bytes. At most 256 KiB at once.',
    input: {
      type: 'object',
      properties: {
        path,
        offset: { type: 'integer', minimum: 1, description: 'First line (or byte), counted from 1. Default: 1' },
        limit: { type: 'integer', minimum: 1, description: 'Maximum number. Default: all' },
        unit: { type: 'string', enum: ['lines', 'bytes'], description: 'Default: lines' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'read',
    within_room: true,
    audience: 'caller',
    call: async (input, use) => {
      const fields = new ToolInput(input);
      const unit = fields.choice('unit', ['lines', 'bytes']) ?? 'lines';
      const offset = fields.whole('offset', { min: 1, max: max_integer, fallback: 1 });
      const limit = fields.whole('limit', { min: 1, max: max_integer, fallback: unit === 'lines' ? max_lines : max_integer });
      const range = { path: fields.path(), unit, offset, limit };
      return { output: formatFile(await onNode(use, (where) => files.read(where, range))) };
    },
  };
}

/** Formats a file for the model. NUL is replaced, because PostgreSQL doesn't accept it. */
function formatFile({ text, size, cut }: ReadFile): string {
  if (text === undefined) return `[This is a binary file of ${size} bytes; inspect it with the shell, for example with od]`;
  const clean = text.replaceAll('\0', '\ufffd');
  return cut ? `${clean}\n[… cut here; the file has ${size} bytes: continue with unit "bytes" and an offset …]` : clean;
}

function writeTool(onNode: OnNode, files: Files): Tool {
  return {
    name: 'write_file',
    title: 'write_file',
    description: `Writes a text file on your work node, replacing an existing one; creates missing folders. At most ${max_written} bytes.`,
    input: {
      type: 'object',
      properties: {
        path,
        content: { type: 'string' },
        executable: { type: 'boolean', description: 'Default: as the existing file, otherwise no' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    effect: 'write',
    within_room: true,
    audience: 'caller',
    call: async (input, use) => {
      const fields = new ToolInput(input);
      const content = Buffer.from(fields.text('content', { max: max_written, empty: true }));
      // The text has passed a limit in characters; this one is in bytes.
      if (content.length > max_written) return { output: '', error: `"content" may have ${max_written} bytes but has ${content.length}` };
      const { executable } = input as { executable?: unknown };
      const mode = typeof executable === 'boolean' ? (executable ? '755' : '644') : undefined;
      const file = { path: fields.path(), content, mode };
      await onNode(use, (where) => files.write(where, file));
      return { output: `${content.length} bytes written.` };
    },
  };
}

function listTool(onNode: OnNode, files: Files): Tool {
  return {
    name: 'list_files',
    title: 'list_files',
    description: `Lists a folder on your work node, with sizes in bytes. At most ${max_entries} entries.`,
    input: {
      type: 'object',
      properties: {
        path: { ...path, description: `${path.description}. Default: the working folder` },
        depth: { type: 'integer', minimum: 1, maximum: 3, description: 'Depth in folders. Default 1' },
      },
      additionalProperties: false,
    },
    effect: 'read',
    within_room: true,
    audience: 'caller',
    call: async (input, use) => {
      const fields = new ToolInput(input);
      const depth = fields.whole('depth', { min: 1, max: 3, fallback: 1 });
      const folder = { path: fields.path('.'), depth };
      const { entries, truncated } = await onNode(use, (where) => files.list(where, folder));
      const lines = entries.map(lineOf);
      if (entries.length === 0) lines.push('(empty)');
      if (truncated) lines.push(`[… more than ${max_entries} entries …]`);
      return { output: lines.join('\n') };
    },
  };
}

/** Formats an entry. Unusual names are quoted as JSON, so that each stays on its line. */
function lineOf({ path: name, type, size }: Entry): string {
  const safeName = /[\p{Cc}\p{Cf}"]/u.test(name) ? JSON.stringify(name) : name;
  if (type === 'folder') return `${safeName}/`;
  return type === 'file' ? `${safeName}\t${size}` : `${safeName}\t(${type})`;
}
