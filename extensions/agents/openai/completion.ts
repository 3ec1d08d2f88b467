import { fail } from '../../../kernel/contract/index.js';
import { type Fields, isRecord } from '../json.js';
import type { Prompt, ToolSpec, ToolUse } from '../model/prompt.js';
import { type AskedFile, type AskedPrompt, isFilePart, readFilePart } from './file-part.js';
import { readImage } from './image-part.js';
import { invalid } from './invalid.js';

/** Body of `POST /api/v1/chat/completions`, reduced to the fields used here. */
export interface CompletionRequest {
  /** User name or member id of an AI employee. */
  model: string;
  /** Messages without the client's instructions. */
  prompts: Prompt[];
  /** Instructions of the client (`system` and `developer`), added to the employee's own. */
  notes: string;
  /** Tools that the client runs itself. */
  tools: ToolSpec[];
  stream: boolean;
  include_usage: boolean;
}

/** A request whose files are not read yet. */
export interface AskedCompletion extends Omit<CompletionRequest, 'prompts'> {
  prompts: AskedPrompt[];
}

const max_messages = 2_000;
const max_tools = 64;
const max_images = 16;
/** Limit of the files of a request: clients send the whole conversation again with each question. */
const max_files = 20;
/** Limit in characters of JSON, without images and files: far above any model's context. */
const max_characters = 1024 * 1024;
/** Types of text parts. `input_text` and `output_text` belong to OpenAI's newer API; clients of both send them to each. */
const textTypes: readonly string[] = ['text', 'input_text', 'output_text'];
const name = /^[A-Za-z0-9_-]{1,64}$/;

/** Parses and validates the body. Fails with `invalid_input`, whose first detail names the field, or `payload_too_large`. */
export function readCompletion(json: string): AskedCompletion {
  const asked = readBody(parse(json));
  const { prompts, ...others } = asked;
  const texts = prompts.map(({ images: _images, pieces = [], ...prompt }) => [prompt, pieces.filter((piece) => typeof piece === 'string')]);
  // Counting and cutting texts blocks the event loop.
  if (JSON.stringify([others, texts]).length > max_characters)
    throw fail('payload_too_large', `The request has more than ${max_characters} characters beside its images and files`);
  return asked;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw invalid('', 'The body is not valid JSON');
  }
}

function readBody(body: unknown): AskedCompletion {
  if (!isRecord(body)) throw invalid('', 'The body must be a JSON object');
  assertSupported(body);
  const { model, messages, stream, stream_options } = body;
  if (typeof model !== 'string' || model === '') throw invalid('model', 'expected the user name of an AI employee');
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > max_messages)
    throw invalid('messages', `expected a list of 1 to ${max_messages} messages`);
  const read = messages.map(readMessage);
  const prompts = read.filter(({ role }) => role !== 'system');
  assertOrder(prompts);
  if (prompts.flatMap(filesOf).length > max_files) throw invalid('messages', `at most ${max_files} files`);
  return {
    model,
    prompts,
    notes: read
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content)
      .join('\n\n'),
    tools: body.tool_choice === 'none' ? [] : readTools(body.tools ?? []),
    stream: stream === true,
    include_usage: isRecord(stream_options) && stream_options.include_usage === true,
  };
}

/** Rejects options that would change the answer; mere tuning parameters are ignored. */
function assertSupported({ n, response_format, tool_choice, functions }: Fields): void {
  if ((n ?? 1) !== 1) throw invalid('n', 'only 1 is supported');
  if (response_format != null && (!isRecord(response_format) || response_format.type !== 'text'))
    throw invalid('response_format', 'only {"type": "text"} is supported');
  if (!['auto', 'none', null, undefined].includes(tool_choice as string))
    throw invalid('tool_choice', 'only "auto" and "none" are supported');
  if (functions != null) throw invalid('functions', 'is no longer supported: use tools');
}

function readMessage(message: unknown, at: number): AskedPrompt {
  const path = `messages.${at}`;
  if (!isRecord(message)) throw invalid(path, 'expected an object');
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textOf(message.content, `${path}.content`) };
    case 'user':
      return readUser(message.content, `${path}.content`);
    case 'assistant':
      return readAssistant(message, path);
    case 'tool':
      return {
        role: 'tool',
        // Some clients omit the content of empty results.
        content: textOf(message.content ?? '', `${path}.content`),
        tool_call_id: text(message.tool_call_id, `${path}.tool_call_id`),
      };
    default:
      throw invalid(`${path}.role`, 'expected system, developer, user, assistant or tool');
  }
}

function readUser(content: unknown, path: string): AskedPrompt {
  if (!Array.isArray(content)) return { role: 'user', content: textOf(content, path) };
  const imageParts = content.filter((part) => isRecord(part) && ['image_url', 'input_image'].includes(part.type as string));
  if (imageParts.length > max_images) throw invalid(path, `at most ${max_images} images`);
  const images = content.flatMap((part, at) =>
    imageParts.includes(part) ? [readImage((part as Fields).image_url, `${path}.${at}.image_url`)] : [],
  );
  const rest = images.length > 0 ? { images } : {};
  if (!content.some(isFilePart)) {
    const texts = content.filter((part) => !imageParts.includes(part));
    return { role: 'user', content: textOf(texts, path), ...rest };
  }
  const pieces = content.flatMap((part, at) => {
    if (imageParts.includes(part)) return [];
    return [isFilePart(part) ? readFilePart(part, `${path}.${at}`) : textOf([part], path)];
  });
  return { role: 'user', content: '', pieces, ...rest };
}

function filesOf({ pieces = [] }: AskedPrompt): AskedFile[] {
  return pieces.filter((piece) => typeof piece !== 'string');
}

function readAssistant({ content, refusal, tool_calls }: Fields, path: string): Prompt {
  const text = textOf(content ?? refusal ?? '', `${path}.content`);
  if (tool_calls == null) return { role: 'assistant', content: text };
  if (!Array.isArray(tool_calls) || tool_calls.length === 0) throw invalid(`${path}.tool_calls`, 'expected a list of calls');
  return { role: 'assistant', content: text, tool_calls: tool_calls.map((call, at) => readCall(call, `${path}.tool_calls.${at}`)) };
}

function readCall(call: unknown, path: string): ToolUse {
  if (!isRecord(call) || !isRecord(call.function)) throw invalid(path, 'expected a call of a function');
  const { name: toolName, arguments: input = '{}' } = call.function;
  return {
    id: text(call.id, `${path}.id`),
    name: nameOf(toolName, `${path}.function.name`),
    // Some clients send the object itself.
    arguments: isRecord(input) ? JSON.stringify(input) : textOf(input, `${path}.function.arguments`),
  };
}

function readTools(tools: unknown): ToolSpec[] {
  if (!Array.isArray(tools) || tools.length > max_tools) throw invalid('tools', `expected a list of at most ${max_tools} tools`);
  return tools.map((tool: unknown, at) => {
    const path = `tools.${at}`;
    if (!isRecord(tool) || tool.type !== 'function' || !isRecord(tool.function))
      throw invalid(path, 'expected {"type": "function", "function": …}');
    const { name: called, description, parameters } = tool.function;
    const input = parameters ?? { type: 'object', properties: {} };
    if (!isRecord(input)) throw invalid(`${path}.function.parameters`, 'expected a JSON Schema of an object');
    return { name: nameOf(called, `${path}.function.name`), description: typeof description === 'string' ? description : '', input };
  });
}

/** Checks the order of calls and results: model servers reject a mismatch with unclear messages. */
function assertOrder(prompts: readonly Prompt[]): void {
  let open = new Set<string>();
  for (const { role, tool_calls, tool_call_id = '' } of prompts) {
    if (role === 'tool' && !open.delete(tool_call_id))
      throw invalid('messages', `the result of call '${tool_call_id.slice(0, 100)}' has no preceding call`);
    if (role !== 'tool' && open.size > 0) throw invalid('messages', `the call '${[...open][0]}' has no answer`);
    if (role === 'assistant') open = new Set(tool_calls?.map(({ id }) => id));
  }
  if (open.size > 0) throw invalid('messages', `the call '${[...open][0]}' has no answer`);
  if (prompts.length === 0) throw invalid('messages', 'expected a user message');
}

/** Reads a text or a list of its parts. */
function textOf(content: unknown, path: string): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalid(path, 'expected text');
  return content
    .map((part: unknown) => {
      if (isRecord(part) && textTypes.includes(part.type as string) && typeof part.text === 'string') return part.text;
      if (isRecord(part) && part.type === 'refusal' && typeof part.refusal === 'string') return part.refusal;
      throw invalid(path, 'expected parts of the type text');
    })
    .join('\n');
}

function nameOf(found: unknown, path: string): string {
  if (typeof found === 'string' && name.test(found)) return found;
  throw invalid(path, 'expected 1 to 64 of A-Z a-z 0-9 _ -');
}

function text(found: unknown, path: string): string {
  if (typeof found === 'string' && found !== '' && found.length <= 200) return found;
  throw invalid(path, 'expected a text of 1 to 200 characters');
}
