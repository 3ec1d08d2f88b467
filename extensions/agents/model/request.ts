import type { OpenAI } from 'openai';
import { isRecord, parseObject } from '../json.js';
import { CallIds } from './call-ids.js';
import type { Feature } from './features.js';
import type { Ask, Prompt, ToolSpec, ToolUse } from './prompt.js';
import { isBare, isOutOfTurn, reworded } from './rewording.js';
import type { ImageUrls } from './sight.js';

type Schema = Readonly<Record<string, unknown>>;

const kept = new Set(['type', 'description', 'enum']);

/** Reduces a schema that `modelSchema` wrote to the keywords that every server knows: types, properties, items and enumerations. */
export function simpleSchema(given: object): object {
  const schema = withoutChoice(given as Schema);
  const { properties, required, items } = schema;
  const simple: Record<string, unknown> = Object.fromEntries(Object.entries(schema).filter(([key]) => kept.has(key)));
  if (isRecord(properties)) {
    simple.properties = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, simpleSchema(each as object)]));
    simple.required = required;
  }
  if (isRecord(items)) simple.items = simpleSchema(items);
  return simple;
}

/** The first alternative that is not null, with the description of the choice. */
function withoutChoice({ anyOf, ...own }: Schema): Schema {
  if (!Array.isArray(anyOf)) return own;
  const chosen = anyOf.find((member) => isRecord(member) && member.type !== 'null') as Schema | undefined;
  return { ...withoutChoice(chosen ?? { type: 'string' }), ...own };
}

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParams;
type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** The form of a request. */
export interface Wording {
  model: string;
  /** The endpoint and model: what came from another is not sent. */
  by: string;
  /** URLs of the images; undefined for a model that takes none. */
  urls: ImageUrls | undefined;
  /** Parts of the protocol that the server lacks. */
  lacks: ReadonlySet<Feature>;
  max_tokens: number;
}

export interface BuiltRequest {
  body: Body;
  /** Parts of the protocol that it needs. */
  uses: ReadonlySet<Feature>;
  /** The tools that it offers. */
  offered: readonly ToolSpec[];
  /** Real names of tools that had to be sent under another. */
  names: ReadonlyMap<string, string>;
}

/** An ask as the protocol has it. */
export function requestOf(ask: Ask, wording: Wording): BuiltRequest {
  return new RequestBuilder(wording).build(ask);
}

/** Whether there is an image to be seen. */
export function hasImages({ prompts }: Pick<Ask, 'prompts'>): boolean {
  return prompts.some(({ images = [] }) => images.length > 0);
}

class RequestBuilder {
  readonly #wording: Wording;
  readonly #uses = new Set<Feature>();
  readonly #names = new Map<string, string>();
  readonly #ids: CallIds;
  /** Tool names by the ids of their calls. */
  readonly #called = new Map<string, string>();

  constructor(wording: Wording) {
    this.#wording = wording;
    this.#ids = new CallIds(wording.lacks.has('tool_call_ids'));
  }

  build({ prompts, tools = [] }: Ask): BuiltRequest {
    const { model, urls, lacks, max_tokens, by } = this.#wording;
    const offered = lacks.has('tools') ? [] : tools;
    const seen = urls ? prompts : prompts.map(imagesInWords);
    const said = reworded(seen, lacks, by);
    const messages = said.map((prompt, at) => this.#message(prompt, said[at - 1]));
    const limit = lacks.has('max_tokens') ? { max_completion_tokens: max_tokens } : { max_tokens };
    this.#use('tools', offered.length > 0 || said.some(({ role, tool_calls = [] }) => role === 'tool' || tool_calls.length > 0));
    this.#use('max_tokens', max_tokens > 0);
    const body = {
      model,
      messages,
      ...this.#streaming(offered),
      // An empty list is refused by some servers.
      ...(offered.length > 0 ? { tools: offered.map((tool) => this.#tool(tool)) } : {}),
      ...(max_tokens > 0 ? limit : {}),
    };
    return { body: body as Body, uses: this.#uses, offered, names: this.#names };
  }

  #streaming(tools: readonly ToolSpec[]): Pick<Body, 'stream' | 'stream_options'> {
    const { lacks } = this.#wording;
    if (lacks.has('stream') || (lacks.has('stream_tools') && tools.length > 0)) return { stream: false };
    this.#use('stream', true);
    this.#use('stream_tools', tools.length > 0);
    if (lacks.has('stream_usage')) return { stream: true };
    this.#use('stream_usage', true);
    return { stream: true, stream_options: { include_usage: true } };
  }

  #tool({ name, description, input }: ToolSpec): object {
    const simple = this.#wording.lacks.has('schema_keywords');
    this.#use('schema_keywords', true);
    return { type: 'function', function: { name: this.#name(name), description, parameters: simple ? simpleSchema(input) : input } };
  }

  #message(prompt: Prompt, before: Prompt | undefined): Message {
    const { role, content, tool_calls = [] } = prompt;
    this.#use('consecutive_messages', isOutOfTurn(prompt, before));
    this.#use('system_messages', role === 'system');
    if (role === 'tool') return this.#result(prompt);
    if (role === 'assistant' && tool_calls.length > 0) return this.#calls(prompt, tool_calls);
    return role === 'user' ? this.#question(prompt) : { role, content };
  }

  #result({ content, tool_call_id = '' }: Prompt): Message {
    this.#use('nameless_tool_results', true);
    const name = this.#wording.lacks.has('nameless_tool_results') ? { name: this.#called.get(tool_call_id) ?? 'unknown' } : {};
    return { role: 'tool', content, tool_call_id: this.#ids.answered(tool_call_id), ...name };
  }

  #calls(prompt: Prompt, calls: readonly ToolUse[]): Message {
    const { lacks, by } = this.#wording;
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
    const own = echo?.by === this.#wording.by ? echo.fields : {};
    this.#use('tool_call_fields', Object.keys(own).length > 0);
    this.#use('tool_call_ids', !/^[A-Za-z0-9]{9}$/.test(id));
    const { function: of_function, ...of_call } = this.#wording.lacks.has('tool_call_fields') ? ({} as Record<string, unknown>) : own;
    const called = this.#name(name);
    this.#called.set(id, called);
    const inner = typeof of_function === 'object' ? of_function : {};
    return { ...of_call, id: this.#ids.asked(id), type: 'function', function: { ...inner, name: called, arguments: argumentsOf(given) } };
  }

  #question({ content, images = [] }: Prompt): Message {
    const { urls } = this.#wording;
    const seen = images.flatMap((image) => urls?.get(image) ?? []);
    if (seen.length === 0) return { role: 'user', content };
    this.#use('images', true);
    const text = content === '' ? [] : [{ type: 'text' as const, text: content }];
    return { role: 'user', content: [...text, ...seen.map((url) => ({ type: 'image_url' as const, image_url: { url } }))] };
  }

  /** Some servers take only names that are identifiers in every language. */
  #name(name: string): string {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
    this.#use('tool_names', true);
    if (!this.#wording.lacks.has('tool_names')) return name;
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

/** Replaces an input that is no object, because servers refuse a conversation that has one. The result of the call quotes it. */
function argumentsOf(given: string): string {
  return given.trim() !== '' && parseObject(given) ? given : '{}';
}

/** The message for a model that takes no images. */
function imagesInWords({ images = [], ...prompt }: Prompt): Prompt {
  if (images.length === 0) return prompt;
  const count = images.length === 1 ? 'An image was' : `${images.length} images were`;
  const note = `[${count} sent with this message, which you cannot see: this model takes no images. Say so where it matters.]`;
  return { ...prompt, content: prompt.content === '' ? note : `${prompt.content}\n\n${note}` };
}
