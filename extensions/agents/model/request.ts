import type { OpenAI } from 'openai';
import { isRecord, parseObject } from '../json.js';
import { CallIds } from './call-ids.js';
import type { Feature } from './features.js';
import type { ImageUrls } from './image-budget.js';
import type { ModelRequest, Prompt, ToolSpec, ToolUse } from './prompt.js';
import { isBare, isOutOfTurn, reworded } from './rewording.js';

type Schema = Readonly<Record<string, unknown>>;

const simpleKeywords = new Set(['type', 'description', 'enum']);

/** Reduces a schema written by `modelSchema` to keywords every server knows: types, properties, items and enumerations. */
export function simpleSchema(original: object): object {
  const schema = withoutChoice(original as Schema);
  const { properties, required, items } = schema;
  const simple: Record<string, unknown> = Object.fromEntries(Object.entries(schema).filter(([key]) => simpleKeywords.has(key)));
  if (isRecord(properties)) {
    simple.properties = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, simpleSchema(each as object)]));
    simple.required = required;
  }
  if (isRecord(items)) simple.items = simpleSchema(items);
  return simple;
}

/** Returns the first alternative that is not null, with the description of the choice. */
function withoutChoice({ anyOf, ...common }: Schema): Schema {
  if (!Array.isArray(anyOf)) return common;
  const chosen = anyOf.find((member) => isRecord(member) && member.type !== 'null') as Schema | undefined;
  return { ...withoutChoice(chosen ?? { type: 'string' }), ...common };
}

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParams;
type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** Form of a request. */
export interface RequestForm {
  model: string;
  /** Endpoint and model: fields of any other are not sent. */
  by: string;
  /** URLs of the images; undefined for a model without image support. */
  urls: ImageUrls | undefined;
  /** Parts of the protocol that the server lacks. */
  lacks: ReadonlySet<Feature>;
  max_tokens: number;
}

export interface BuiltRequest {
  body: Body;
  /** Parts of the protocol that it uses. */
  uses: ReadonlySet<Feature>;
  /** Tools that it offers. */
  offered: readonly ToolSpec[];
  /** Original names of tools that had to be renamed. */
  names: ReadonlyMap<string, string>;
}

/** Builds the request of the protocol. */
export function requestOf(ask: ModelRequest, form: RequestForm): BuiltRequest {
  return new RequestBuilder(form).build(ask);
}

/** Returns whether any prompt has an image. */
export function hasImages({ prompts }: Pick<ModelRequest, 'prompts'>): boolean {
  return prompts.some(({ images = [] }) => images.length > 0);
}

class RequestBuilder {
  readonly #form: RequestForm;
  readonly #uses = new Set<Feature>();
  readonly #names = new Map<string, string>();
  readonly #ids: CallIds;
  /** Tool names by call id. */
  readonly #call_names = new Map<string, string>();

  constructor(wording: RequestForm) {
    this.#form = wording;
    this.#ids = new CallIds(wording.lacks.has('tool_call_ids'));
  }

  build({ prompts, tools = [] }: ModelRequest): BuiltRequest {
    const { model, urls, lacks, max_tokens, by } = this.#form;
    const offered = lacks.has('tools') ? [] : tools;
    const visible = urls ? prompts : prompts.map(imagesInWords);
    const adapted = reworded(visible, lacks, by);
    const messages = adapted.map((prompt, at) => this.#message(prompt, adapted[at - 1]));
    const limit = lacks.has('max_tokens') ? { max_completion_tokens: max_tokens } : { max_tokens };
    this.#use('tools', offered.length > 0 || adapted.some(({ role, tool_calls = [] }) => role === 'tool' || tool_calls.length > 0));
    this.#use('max_tokens', max_tokens > 0);
    const body = {
      model,
      messages,
      ...this.#streaming(offered),
      // Some servers reject an empty list.
      ...(offered.length > 0 ? { tools: offered.map((tool) => this.#tool(tool)) } : {}),
      ...(max_tokens > 0 ? limit : {}),
    };
    return { body: body as Body, uses: this.#uses, offered, names: this.#names };
  }

  #streaming(tools: readonly ToolSpec[]): Pick<Body, 'stream' | 'stream_options'> {
    const { lacks } = this.#form;
    if (lacks.has('stream') || (lacks.has('stream_tools') && tools.length > 0)) return { stream: false };
    this.#use('stream', true);
    this.#use('stream_tools', tools.length > 0);
    if (lacks.has('stream_usage')) return { stream: true };
    this.#use('stream_usage', true);
    return { stream: true, stream_options: { include_usage: true } };
  }

  #tool({ name, description, input }: ToolSpec): object {
    const simple = this.#form.lacks.has('schema_keywords');
    this.#use('schema_keywords', true);
    return { type: 'function', function: { name: this.#name(name), description, parameters: simple ? simpleSchema(input) : input } };
  }

  #message(prompt: Prompt, before: Prompt | undefined): Message {
    const { role, content, tool_calls = [] } = prompt;
    this.#use('consecutive_messages', isOutOfTurn(prompt, before));
    this.#use('system_messages', role === 'system');
    if (role === 'tool') return this.#result(prompt);
    if (role === 'assistant' && tool_calls.length > 0) return this.#calls(prompt, tool_calls);
    return role === 'user' ? this.#userMessage(prompt) : { role, content };
  }

  #result({ content, tool_call_id = '' }: Prompt): Message {
    this.#use('nameless_tool_results', true);
    const name = this.#form.lacks.has('nameless_tool_results') ? { name: this.#call_names.get(tool_call_id) ?? 'unknown' } : {};
    return { role: 'tool', content, tool_call_id: this.#ids.idForResult(tool_call_id), ...name };
  }

  #calls(prompt: Prompt, calls: readonly ToolUse[]): Message {
    const { lacks, by } = this.#form;
    const { content, echo } = prompt;
    this.#use('parallel_tool_calls', calls.length > 1);
    this.#use('bare_tool_calls', isBare(prompt, by));
    this.#use('null_content', content === '');
    const thought = echo?.by === by ? echo.fields : {};
    this.#use('reasoning_content', Object.keys(thought).length > 0);
    const tool_calls = calls.map((call) => this.#call(call));
    return {
      role: 'assistant',
      content: content === '' && !lacks.has('null_content') ? null : content,
      ...(lacks.has('reasoning_content') ? {} : thought),
      tool_calls,
    } as Message;
  }

  #call({ id, name, arguments: given, echo }: ToolUse): object {
    const own = echo?.by === this.#form.by ? echo.fields : {};
    this.#use('tool_call_fields', Object.keys(own).length > 0);
    this.#use('tool_call_ids', !/^[A-Za-z0-9]{9}$/.test(id));
    const { function: of_function, ...of_call } = this.#form.lacks.has('tool_call_fields') ? ({} as Record<string, unknown>) : own;
    const sentName = this.#name(name);
    this.#call_names.set(id, sentName);
    const inner = typeof of_function === 'object' ? of_function : {};
    return {
      ...of_call,
      id: this.#ids.idForCall(id),
      type: 'function',
      function: { ...inner, name: sentName, arguments: argumentsOf(given) },
    };
  }

  #userMessage({ content, images = [] }: Prompt): Message {
    const { urls } = this.#form;
    const sentUrls = images.flatMap((image) => urls?.get(image) ?? []);
    if (sentUrls.length === 0) return { role: 'user', content };
    this.#use('images', true);
    const text = content === '' ? [] : [{ type: 'text' as const, text: content }];
    return { role: 'user', content: [...text, ...sentUrls.map((url) => ({ type: 'image_url' as const, image_url: { url } }))] };
  }

  /** Returns the name of a tool for the request: some servers accept only identifiers. */
  #name(name: string): string {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
    this.#use('tool_names', true);
    if (!this.#form.lacks.has('tool_names')) return name;
    let plain = name
      .replace(/[^A-Za-z0-9_]/g, '_')
      .replace(/^(?=\d)/, 'tool_')
      .slice(0, 60);
    while (this.#names.has(plain) && this.#names.get(plain) !== name) plain += '_';
    this.#names.set(plain, name);
    return plain;
  }

  #use(feature: Feature, isUsed: boolean): void {
    if (isUsed) this.#uses.add(feature);
  }
}

/** Replaces an input that is not an object, because servers refuse a conversation that has one. The result of the call quotes it. */
function argumentsOf(given: string): string {
  return given.trim() !== '' && parseObject(given) ? given : '{}';
}

/** Replaces images with a note for a model without image support. */
function imagesInWords({ images = [], ...prompt }: Prompt): Prompt {
  if (images.length === 0) return prompt;
  const count = images.length === 1 ? 'An image was' : `${images.length} images were`;
  const note = `[${count} sent with this message, which you cannot see: this model does not accept images. Say so if it matters.]`;
  return { ...prompt, content: prompt.content === '' ? note : `${prompt.content}\n\n${note}` };
}
