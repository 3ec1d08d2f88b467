import { type Fields, isRecord } from '../json.js';

/** Addition of one chunk to an answer, whichever fields the server uses. */
export interface Delta {
  text: string;
  reasoning: string;
  /** Refusal of the model in its own words. */
  refusal: string;
  tool_calls: unknown;
  /** Reasoning fields as received. */
  echo: Readonly<Record<string, unknown>>;
}

/** Fields with reasoning as a text; servers fill one and may leave others empty beside it. */
const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'];
const detailFields = ['reasoning_details', 'thinking_blocks'];
const max_depth = 4;

export function readDelta(fields: Fields): Delta {
  const { content, refusal, tool_calls, function_call, text } = fields;
  const parts = partsOf(content ?? text);
  const echo: Record<string, unknown> = {};
  let reasoning = parts.reasoning;
  for (const field of reasoningFields) {
    const value = fields[field];
    if (typeof value !== 'string' || value === '') continue;
    echo[field] = value;
    if (reasoning === '') reasoning = value;
  }
  for (const field of detailFields) {
    const value = fields[field];
    if (!Array.isArray(value) || value.length === 0) continue;
    echo[field] = value;
    if (reasoning === '') reasoning = value.map((part) => wordsIn(part, 0)).join('');
  }
  const calls = tool_calls ?? (isRecord(function_call) ? [{ function: function_call }] : undefined);
  const refused = typeof refusal === 'string' ? refusal : '';
  return { text: parts.text, reasoning, refusal: refused + parts.refusal, tool_calls: isRecord(calls) ? [calls] : calls, echo };
}

interface Parts {
  text: string;
  reasoning: string;
  refusal: string;
}

/** Reads content that is a text or a list of typed parts. */
function partsOf(content: unknown): Parts {
  const parts: Parts = { text: '', reasoning: '', refusal: '' };
  // Some servers send a token of digits as a number.
  if (typeof content === 'string' || typeof content === 'number') return { ...parts, text: String(content) };
  for (const part of Array.isArray(content) ? content : isRecord(content) ? [content] : []) {
    if (typeof part === 'string') parts.text += part;
    else if (isRecord(part)) parts[kindOf(part)] += wordsIn(part, 0);
  }
  return parts;
}

function kindOf({ type, thought }: Fields): keyof Parts {
  if (type === 'refusal') return 'refusal';
  return thought === true || /think|thought|reason/i.test(String(type ?? '')) ? 'reasoning' : 'text';
}

function wordsIn(part: unknown, depth: number): string {
  if (typeof part === 'string') return part;
  if (depth > max_depth) return '';
  if (Array.isArray(part)) return part.map((each) => wordsIn(each, depth + 1)).join('');
  if (!isRecord(part)) return '';
  const inner = part.text ?? part.thinking ?? part.reasoning ?? part.summary ?? part.refusal ?? part.content;
  return inner === undefined ? '' : wordsIn(inner, depth + 1);
}
