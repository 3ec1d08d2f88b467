import type { ModelFeature } from '../contract.js';

export type Feature = ModelFeature;

/** Features set by hand: true means the server has it, false that it lacks it. The others are learnt from its answers. */
export type FeatureSwitches = Readonly<Partial<Record<Feature, boolean>>>;

/** Parts of the protocol that some servers lack, in the order in which they are left out, with a description for people who set them. */
export const featureDescriptions: Readonly<Record<Feature, string>> = {
  stream_usage: 'reports the tokens of a streamed answer (stream_options); without: they are estimated',
  max_tokens: 'accepts max_tokens; without: max_completion_tokens',
  tool_call_ids: 'accepts any tool call id; without: nine letters and digits',
  nameless_tool_results: "accepts a tool's result without the tool's name",
  tool_names: 'accepts tool names with dashes or a leading digit',
  schema_keywords: 'accepts all of JSON Schema; without: only types, properties and enumerations',
  bare_tool_calls: 'accepts tool calls without their reasoning; without: earlier calls are described in text',
  reasoning_content: 'accepts its own reasoning back while tools are used',
  opened_reasoning: 'opens the reasoning in its text with <think>; without: an answer begins with reasoning, up to </think>',
  tool_call_fields: 'accepts its own extra fields in tool calls back',
  parallel_tool_calls: 'accepts several tool calls in one message',
  consecutive_messages: 'accepts two messages of one role in a row',
  system_messages: 'has a system role; without: the instructions precede the first message',
  null_content: 'accepts null as the content of a message with tool calls',
  images: 'sees images',
  stream_tools: 'streams answers that may call tools',
  stream: 'streams',
  tools: 'accepts tools',
};

/** Lists the features in that order. Without one, a request expresses the same in another way or omits it. */
export const features = Object.keys(featureDescriptions) as readonly Feature[];

/** Phrases of a refusal that blame a missing feature rather than an invalid request. */
const unsupported =
  /not? (yet )?(be )?(currently )?(support|allow|permit|accept|enabl|implement|available|recogni|possible|handle)|unsupported|n't (support|allow|accept|have)|\bno (support|endpoints)|unknown|unexpected|unrecogni[sz]ed|\bextra\b|additional|forbidden|disabled|requires? |needs? |cannot|can't|without|incompatible|verif(y|ied)|invalid|not be (used|combined|specified)|only /i;

/** Patterns by which servers mention each feature. The first one in use that matches is left out first. */
const mentions: readonly (readonly [Feature, RegExp])[] = [
  ['stream_usage', /stream_options|include_usage/i],
  ['max_tokens', /max_(completion_)?tokens/i],
  [
    'tool_call_ids',
    /(tool.?call.?id|tool_calls\[\d+\]\.id|call id).{0,160}(length|must|pattern|match|characters|alphanumeric|too long|invalid)/i,
  ],
  [
    'nameless_tool_results',
    /function_response\.name|(tool|function).{0,60}\bname\b.{0,60}(required|empty|missing|must not be)|(tool|function).{0,60}(needs?|requires?|required|missing|lacks?|without|must (have|include|contain)|expect(s|ed)).{0,40}\bname\b|(missing|required?|needs?).{0,60}\bname\b.{0,60}(tool|function)/i,
  ],
  [
    'tool_names',
    /(function|tool).{0,80}\bname\b.{0,160}(pattern|match|invalid|start|characters|alphanumeric|letters)|invalid (function|tool) name/i,
  ],
  [
    'schema_keywords',
    /schema|additional_?properties|property_?names|\$(ref|defs|schema)|(any|one|all)_?of\b|function_declarations|exclusive_?m|parameters.{0,120}(cannot find field|unknown (name|field)|keyword|format|not supported)/i,
  ],
  [
    'bare_tool_calls',
    /(missing|must|required?|passed back|provide).{0,100}(reasoning|thinking|thought)|(reasoning|thinking|thought).{0,100}(missing|must|required?|passed back)/i,
  ],
  ['reasoning_content', /reasoning/i],
  [
    'tool_call_fields',
    /(extra|unknown|unexpected|unrecogni[sz]ed|additional|forbidden).{0,200}tool_calls|tool_calls.{0,200}(extra|unknown|unexpected|unrecogni[sz]ed|additional|forbidden)/i,
  ],
  ['parallel_tool_calls', /single tool|one tool|multiple tool|parallel|several tool/i],
  [
    'consecutive_messages',
    /alternat|consecutive|same role|in a row|(after|following|followed by) .{0,20}\b(role|assistant|user|tool)\b|unexpected role/i,
  ],
  [
    'system_messages',
    /system|developer (instruction|message|role)|alternat|unexpected (message )?role|only user|(unknown|invalid|unsupported) role|role.{0,80}(support|valid|allowed|expected|input should be)/i,
  ],
  ['null_content', /content.{0,160}(null|none|string|empty|required|missing|blank)|(null|nonetype).{0,80}content|nonetype/i],
  ['images', /image|vision|visual|multi-?modal|mmproj|modalit|content.{0,160}(string|text|array|list|type|variant|str\b)|pictures?\b/i],
  ['stream_tools', /stream.{0,160}(tool|function)|(tool|function).{0,160}stream/i],
  ['stream', /stream/i],
  ['tools', /\btools?\b|tool_|function|--jinja/i],
];

/** Features left out in turn if a server gives no intelligible reason; the cheapest first. */
const guesses: readonly Feature[] = [
  'stream_usage',
  'nameless_tool_results',
  'reasoning_content',
  'tool_call_fields',
  'null_content',
  'consecutive_messages',
  'images',
];
/** Further guesses for a server that gives no reason at all. */
const lastGuesses: readonly Feature[] = ['system_messages', 'stream_tools', 'tools'];

/** Refusal of a server. */
export interface Refusal {
  /** Undefined if it came inside an answer. */
  status: number | undefined;
  said: string;
}

/** Statuses of a request that is rejected for its content rather than a temporary fault. */
const guessable = new Set<number | undefined>([400, 404, 413, 415, 422, 501]);
const mentioning = new Set<number | undefined>([...guessable, 405, 500, undefined]);

/** Returns the features in use that may have caused a refusal, the likeliest first. */
export function suspects({ status, said }: Refusal, uses: ReadonlySet<Feature>): Feature[] {
  const wordless = isWordless(said);
  const named = mentioning.has(status) && !wordless ? namedIn(said, uses) : [];
  return (named.length > 0 ? named : guessed(status, wordless)).filter((feature) => uses.has(feature));
}

/** Guesses features by status. A missing path and a body that is too large say nothing about the rest. */
function guessed(status: number | undefined, wordless: boolean): readonly Feature[] {
  if (status === 404 || status === 413) return ['images'];
  if (!guessable.has(status)) return [];
  return wordless ? [...guesses, ...lastGuesses] : guesses;
}

function namedIn(said: string, uses: ReadonlySet<Feature>): Feature[] {
  const found = mentions.filter(([feature, pattern]) => uses.has(feature) && pattern.test(said)).map(([feature]) => feature);
  // Leaving out an ability needs more evidence than its name in the refusal.
  return found.filter((feature) => !(['stream', 'stream_tools', 'tools'] as Feature[]).includes(feature) || unsupported.test(said));
}

/** Returns whether a message is empty or only names the status. */
function isWordless(said: string): boolean {
  return /^(\d{3} )?(|bad request|unprocessable (entity|content)|not implemented|internal server error|invalid request|error|none|null|unknown error)\W*$/i.test(
    said,
  );
}
