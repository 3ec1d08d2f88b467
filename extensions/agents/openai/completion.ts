import { type Failure, fail } from '../../../kernel/contract/index.js';
import { type Fields, isRecord } from '../json.js';
import type { Prompt, SentImage, ToolSpec, ToolUse } from '../model/prompt.js';

/** The head of a data URL (RFC 2397), with parameters such as a name. */
const head = /^\s*data:(image\/[\w.+-]{1,60})(?:;[^;,]{1,200}){0,4};base64,/i;
/** Base64 of either alphabet (RFC 4648, 4 and 5). */
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Reads an image that came with the request. Addresses are not followed: the client sends the image itself. */
function readImage(found: unknown, path: string): SentImage {
  const url = typeof found === 'object' && found !== null ? (found as { url?: unknown }).url : found;
  const [start, mime_type] = (typeof url === 'string' && head.exec(url)) || [];
  const data = start === undefined ? '' : bare((url as string).slice(start.length));
  if (mime_type !== undefined && base64.test(data)) return { mime_type: mime_type.toLowerCase(), bytes: Buffer.from(data, 'base64') };
  const message = 'expected a data URL of an image in base64 (data:image/png;base64,…)';
  throw fail('invalid_input', `${path}: ${message}`, { details: [{ path, message }] });
}

/** Without line breaks, as MIME encoders add them, and percent-encoding, as URL libraries add it. */
function bare(data: string): string {
  const decoded = data.replace(/%(2B|2F|3D|0D|0A|20)/gi, (code) => decodeURIComponent(code));
  return decoded.replace(/\s+/g, '');
}

/** What a client asks of `POST /api/v1/chat/completions`, as far as it counts here. */
export interface Completion {
  /** The user name or the member id of an AI employee. */
  model: string;
  /** Without those of the client itself. */
  prompts: Prompt[];
  /** What the client itself says (`system` and `developer`): beside the employee's own instructions, not in their place. */
  notes: string;
  /** The client's own tools: it runs them itself. */
  tools: ToolSpec[];
  stream: boolean;
  include_usage: boolean;
}

const max_messages = 2_000;
const max_tools = 64;
const max_images = 16;
/** In characters of JSON, without the images: much more than models take. */
const max_characters = 1024 * 1024;
/** `input_text` and `output_text` are those of OpenAI's newer API, which clients of both send to each. */
const textTypes: readonly string[] = ['text', 'input_text', 'output_text'];
const name = /^[A-Za-z0-9_-]{1,64}$/;

/** Fails with `invalid_input`, whose first detail says where, and with `payload_too_large`. */
export function readCompletion(json: string): Completion {
  const asked = readBody(parse(json));
  const { prompts, ...others } = asked;
  const texts = prompts.map(({ images: _images, ...prompt }) => prompt);
  // Counting and cutting texts holds up everybody meanwhile.
  if (JSON.stringify([others, texts]).length > max_characters)
    throw fail('payload_too_large', `The request has more than ${max_characters} characters beside its images`);
  return asked;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw wrong('', 'The body is not valid JSON');
  }
}

function readBody(body: unknown): Completion {
  if (!isRecord(body)) throw wrong('', 'The body must be a JSON object');
  assertSupported(body);
  const { model, messages, stream, stream_options } = body;
  if (typeof model !== 'string' || model === '') throw wrong('model', 'expected the user name of an AI employee');
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > max_messages)
    throw wrong('messages', `expected a list of 1 to ${max_messages} messages`);
  const read = messages.map(readMessage);
  const prompts = read.filter(({ role }) => role !== 'system');
  assertOrder(prompts);
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

/** What would change the answer must not be left out in silence; what only tunes a model may be. */
function assertSupported({ n, response_format, tool_choice, functions }: Fields): void {
  if ((n ?? 1) !== 1) throw wrong('n', 'only 1 answer is given');
  if (response_format != null && (!isRecord(response_format) || response_format.type !== 'text'))
    throw wrong('response_format', 'only {"type": "text"} is supported');
  if (!['auto', 'none', null, undefined].includes(tool_choice as string))
    throw wrong('tool_choice', 'only "auto" and "none" are supported');
  if (functions != null) throw wrong('functions', 'is no longer supported: use tools');
}

function readMessage(message: unknown, at: number): Prompt {
  const path = `messages.${at}`;
  if (!isRecord(message)) throw wrong(path, 'expected an object');
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
        // Tools that give nothing have no content with some clients.
        content: textOf(message.content ?? '', `${path}.content`),
        tool_call_id: text(message.tool_call_id, `${path}.tool_call_id`),
      };
    default:
      throw wrong(`${path}.role`, 'expected system, developer, user, assistant or tool');
  }
}

function readUser(content: unknown, path: string): Prompt {
  if (!Array.isArray(content)) return { role: 'user', content: textOf(content, path) };
  const pictures = content.filter((part) => isRecord(part) && ['image_url', 'input_image'].includes(part.type as string));
  if (pictures.length > max_images) throw wrong(path, `at most ${max_images} images`);
  const images = content.flatMap((part, at) =>
    pictures.includes(part) ? [readImage((part as Fields).image_url, `${path}.${at}.image_url`)] : [],
  );
  const words = textOf(
    content.filter((part) => !pictures.includes(part)),
    path,
  );
  return { role: 'user', content: words, ...(images.length > 0 ? { images } : {}) };
}

function readAssistant({ content, refusal, tool_calls }: Fields, path: string): Prompt {
  const said = textOf(content ?? refusal ?? '', `${path}.content`);
  if (tool_calls == null) return { role: 'assistant', content: said };
  if (!Array.isArray(tool_calls) || tool_calls.length === 0) throw wrong(`${path}.tool_calls`, 'expected a list of calls');
  return { role: 'assistant', content: said, tool_calls: tool_calls.map((call, at) => readCall(call, `${path}.tool_calls.${at}`)) };
}

function readCall(call: unknown, path: string): ToolUse {
  if (!isRecord(call) || !isRecord(call.function)) throw wrong(path, 'expected a call of a function');
  const { name: called, arguments: given = '{}' } = call.function;
  return {
    id: text(call.id, `${path}.id`),
    name: nameOf(called, `${path}.function.name`),
    // Clients of other servers send the object itself.
    arguments: isRecord(given) ? JSON.stringify(given) : textOf(given, `${path}.function.arguments`),
  };
}

function readTools(tools: unknown): ToolSpec[] {
  if (!Array.isArray(tools) || tools.length > max_tools) throw wrong('tools', `expected a list of at most ${max_tools} tools`);
  return tools.map((tool: unknown, at) => {
    const path = `tools.${at}`;
    if (!isRecord(tool) || tool.type !== 'function' || !isRecord(tool.function))
      throw wrong(path, 'expected {"type": "function", "function": …}');
    const { name: called, description, parameters } = tool.function;
    const input = parameters ?? { type: 'object', properties: {} };
    if (!isRecord(input)) throw wrong(`${path}.function.parameters`, 'expected a JSON Schema of an object');
    return { name: nameOf(called, `${path}.function.name`), description: typeof description === 'string' ? description : '', input };
  });
}

/** Models' servers refuse a call without its answer and an answer without its call, in words of their own. */
function assertOrder(prompts: readonly Prompt[]): void {
  let open = new Set<string>();
  for (const { role, tool_calls, tool_call_id = '' } of prompts) {
    if (role === 'tool' && !open.delete(tool_call_id))
      throw wrong('messages', `no call '${tool_call_id.slice(0, 100)}' came before its answer`);
    if (role !== 'tool' && open.size > 0) throw wrong('messages', `the call '${[...open][0]}' has no answer`);
    if (role === 'assistant') open = new Set(tool_calls?.map(({ id }) => id));
  }
  if (open.size > 0) throw wrong('messages', `the call '${[...open][0]}' has no answer`);
  if (prompts.length === 0) throw wrong('messages', 'expected a message of a user');
}

/** A text, or its parts. */
function textOf(content: unknown, path: string): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw wrong(path, 'expected text');
  return content
    .map((part: unknown) => {
      if (isRecord(part) && textTypes.includes(part.type as string) && typeof part.text === 'string') return part.text;
      if (isRecord(part) && part.type === 'refusal' && typeof part.refusal === 'string') return part.refusal;
      throw wrong(path, 'expected parts of the type text');
    })
    .join('\n');
}

function nameOf(found: unknown, path: string): string {
  if (typeof found === 'string' && name.test(found)) return found;
  throw wrong(path, 'expected 1 to 64 of A-Z a-z 0-9 _ -');
}

function text(found: unknown, path: string): string {
  if (typeof found === 'string' && found !== '' && found.length <= 200) return found;
  throw wrong(path, 'expected a text of 1 to 200 characters');
}

function wrong(path: string, message: string): Failure {
  return fail('invalid_input', path === '' ? message : `${path}: ${message}`, { details: [{ path, message }] });
}
