import type { ToolImage, ToolResult } from '../../../kernel/contract/index.js';
import { boundedImages, imageType } from '../tools/images.js';

/** Limit of an output in characters; models get less. */
const max_output = 256 * 1024;
const max_blocks = 1_000;

type Block = Readonly<Record<string, unknown>>;

/** Reads a tool's result as text and images, tolerating malformed shapes. Audio and files are only named. */
export function toolResult({ content, structuredContent, isError }: Readonly<Record<string, unknown>>): ToolResult {
  const blocks = blocksOf(content).slice(0, max_blocks);
  const parts = blocks.map(textOf).filter((part) => part !== '');
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  const text = parts.join('\n').slice(0, max_output).toWellFormed();
  const images = boundedImages(blocks.flatMap(imageOf));
  const visible = images.length > 0 ? { images } : {};
  if (isError !== true) return { output: text, ...visible };
  return { output: '', error: text === '' ? 'The tool failed and gave no reason' : text, ...visible };
}

/** Normalises the content: some servers send a text or a single block instead of a list. */
function blocksOf(content: unknown): Block[] {
  if (content === undefined || content === null) return [];
  return [content].flat().map((each) => (typeof each === 'object' && each !== null ? (each as Block) : { type: 'text', text: each }));
}

function textOf(block: Block): string {
  const { type, text, resource, name, uri, title } = block;
  if (type === 'text') return typeof text === 'string' ? text : JSON.stringify(text ?? '');
  if (type === 'resource_link') return `[${textOr(title ?? name, 'a resource')}: ${textOr(uri, 'no address')}]`;
  if (type === 'resource' && isBlock(resource))
    return typeof resource.text === 'string' ? resource.text : description(resource, textOr(resource.uri, ''));
  return typeof text === 'string' ? text : description(block, '');
}

/** Describes a block that is not text by its kind and size. */
function description({ type, mimeType, data, blob }: Block, at: string): string {
  const bytes = bytesOf(data ?? blob);
  const size = bytes ? `, ${bytes.length} bytes` : '';
  const where = at === '' ? '' : ` at ${at}`;
  return `[${textOr(type, 'file')}: ${(bytes && imageType(bytes)) ?? textOr(mimeType, 'of an unknown type')}${size}${where}]`;
}

function imageOf(block: Block): ToolImage[] {
  const { data, blob } = block.type === 'resource' && isBlock(block.resource) ? block.resource : block;
  const bytes = bytesOf(data ?? blob);
  const mime_type = bytes && imageType(bytes);
  return bytes && mime_type !== undefined ? [{ mime_type, bytes }] : [];
}

/** Decodes base64, which some servers send as a data URL. */
function bytesOf(data: unknown): Buffer | undefined {
  return typeof data === 'string' ? Buffer.from(data.replace(/^data:[^,]{0,200},/, ''), 'base64') : undefined;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value.slice(0, 2_000) : otherwise;
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null;
}
