import { isRecord, objectAt, parseJson } from '../json.js';
import { partialMarkLength } from './partial-mark.js';
import type { ToolSpec } from './prompt.js';
import type { ToolNames } from './tool-names.js';

/** Marks with which models begin tool calls in a text. */
const marks = [
  '<tool_call>',
  '<|tool_call|>',
  '<function=',
  '<invoke name=',
  '<minimax:tool_call>',
  '[TOOL_CALLS]',
  '<|python_tag|>',
  '<|tool_calls_section_begin|>',
  '<｜tool▁calls▁begin｜>',
  '<|channel|>commentary to=',
] as const;
/** Start of a call without a mark, and a text that may still become one. */
const bareCall = /^\s*\{\s*"name"\s*:\s*"([\w.:-]+)"/;
const mayBecomeBare = /^\s*(\{\s*("(n(a(m(e("(\s*(:(\s*("[\w.:-]{0,128})?)?)?)?)?)?)?)?)?)?)?$/;
/** Limit of text that may be calls, in characters; longer text is plain text. */
const max_length = 262_144;
/** Limit of the parts that are parsed. */
const max_parts = 64;

export interface WrittenCall {
  name: string;
  arguments: string;
}

/**
 * Finds tool calls that a model writes as text because its server does not parse them. From a mark on the text is
 * buffered; at the end of the answer it is parsed as calls, or returned as text if it calls no known tool.
 */
export class WrittenCalls {
  readonly #tools: readonly ToolSpec[];
  readonly #names: ToolNames;
  #buffer = '';
  #isMarked = false;
  #isStart = true;

  constructor(tools: readonly ToolSpec[], names: ToolNames) {
    this.#tools = tools;
    this.#names = names;
  }

  /** Returns the part of the answer that is certainly text. */
  add(piece: string): string {
    if (this.#tools.length === 0) return piece;
    this.#buffer += piece;
    if (this.#buffer.length > max_length) return this.#release(this.#buffer.length);
    if (this.#isMarked) return '';
    const positions = marks.map((mark) => this.#buffer.indexOf(mark)).filter((place) => place >= 0);
    if (this.#isStart && this.#names.known(bareCall.exec(this.#buffer)?.[1] ?? '') !== undefined) positions.push(0);
    this.#isMarked = positions.length > 0;
    if (this.#isMarked) return this.#release(Math.min(...positions));
    if (this.#isStart && mayBecomeBare.test(this.#buffer)) return '';
    return this.#release(this.#buffer.length - Math.max(...marks.map((mark) => partialMarkLength(this.#buffer, mark))));
  }

  /** Returns the buffered rest of the answer: calls, or text. */
  end(): { text: string; calls: readonly WrittenCall[] } {
    const rest = this.#buffer;
    this.#buffer = '';
    const calls = this.#isMarked ? this.#callsIn(rest) : [];
    return calls.length > 0 ? { text: '', calls } : { text: rest, calls };
  }

  #release(length: number): string {
    const released = this.#buffer.slice(0, length);
    this.#buffer = this.#buffer.slice(length);
    if (released !== '') this.#isStart = false;
    return released;
  }

  #callsIn(text: string): WrittenCall[] {
    for (const found of [tagged(text), keyed(text), named(text), described(text)]) {
      const calls = found.flatMap(({ name, input }) => {
        const tool = this.#names.known(name);
        return tool === undefined ? [] : [{ name: tool, arguments: JSON.stringify(this.#typed(tool, input)) }];
      });
      if (calls.length > 0) return calls;
    }
    return [];
  }

  /** Converts values between tags, which are strings, to the types of the tool's input. */
  #typed(name: string, input: ParsedCall['input']): object {
    if (!(input instanceof Map)) return input;
    const schema = this.#tools.find((tool) => tool.name === name)?.input as { properties?: unknown } | undefined;
    const properties = isRecord(schema?.properties) ? schema.properties : {};
    const typed = (key: string, value: string) => {
      const property = properties[key];
      return isRecord(property) && property.type === 'string' ? value : parsed(value);
    };
    return Object.fromEntries([...input].map(([key, value]) => [key, typed(key, value)]));
  }
}

interface ParsedCall {
  name: string;
  /** Values of a `Map` are raw strings. */
  input: object | ReadonlyMap<string, string>;
}

interface Section {
  name: string;
  body: string;
}

/** Finds the parts of a text that start with a named opening tag; each ends at its closing tag or the end of the text. */
function sections(text: string, opening: RegExp, closing: string): Section[] {
  const found: Section[] = [];
  const tag = new RegExp(opening, 'g');
  for (let open = tag.exec(text); open && found.length < max_parts; open = tag.exec(text)) {
    const end = text.indexOf(closing, tag.lastIndex);
    found.push({ name: open[1] ?? '', body: text.slice(tag.lastIndex, end < 0 ? text.length : end) });
    if (end < 0) break;
    tag.lastIndex = end;
  }
  return found;
}

/** Parses `<function=look>` and `<invoke name="look">`, with a tag for each parameter, or JSON. */
function tagged(text: string): ParsedCall[] {
  const functions = sections(text, /<function="?([\w.:-]{1,128})"?>/, '</function>');
  const calls = [...functions, ...sections(text, /<invoke name="?([\w.:-]{1,128})"?>/, '</invoke>')];
  return calls.map(({ name, body }) => {
    const parameters = sections(body, /<parameter(?:=| name=)"?([\w.:-]{1,128})"?>/, '</parameter>');
    const values = parameters.map((each): [string, string] => [each.name, each.body.replace(/^\n/, '').replace(/\n$/, '')]);
    return { name, input: objectAt(body.trim(), 0)?.value ?? new Map(values) };
  });
}

/** Parses `<tool_call>look` followed by alternating keys and values. */
function keyed(text: string): ParsedCall[] {
  return sections(text, /<tool_call>\s{0,9}([\w.:-]{1,128})/, '</tool_call>').map(({ name, body }) => {
    const keys = sections(body, /<arg_key>()/, '</arg_key>').map((key) => key.body.trim());
    const values = sections(body, /<arg_value>()/, '</arg_value>').map((value) => value.body);
    return { name, input: new Map(keys.map((key, at) => [key, values[at] ?? ''])) };
  });
}

/** Parses a name, a mark, and the input as JSON. */
function named(text: string): ParsedCall[] {
  const calls = text.matchAll(
    /(?:([\w.:-]{1,128})\s{0,9}(?:<\|tool_call_argument_begin\|>|\[ARGS\])|<｜tool▁sep｜>([\w.:-]{1,128})|to=([\w.:-]{1,128})[^{]{0,80}<\|message\|>)\s{0,9}(?:```json)?\s{0,9}/g,
  );
  return [...calls].slice(0, max_parts).flatMap((call) => {
    const input = objectAt(text, call.index + call[0].length);
    return input ? [{ name: call[1] ?? call[2] ?? call[3] ?? '', input: input.value }] : [];
  });
}

/** Parses objects with a name and an input, single or in a list. */
function described(text: string): ParsedCall[] {
  const found: ParsedCall[] = [];
  for (let at = text.indexOf('{'), tried = 0; at >= 0 && tried < max_parts; tried += 1) {
    const object = objectAt(text, at);
    const { name, arguments: given, parameters } = object?.value ?? {};
    const input = given ?? parameters ?? {};
    if (typeof name === 'string' && isRecord(input)) found.push({ name, input });
    at = text.indexOf('{', object?.end ?? at + 1);
  }
  return found;
}

function parsed(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}
