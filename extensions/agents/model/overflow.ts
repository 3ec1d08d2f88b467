/** Codes and types by which servers name an answer or a request that is too long for the model. */
const named =
  /context[_ ]?(length|size|window)?[_ ]?exceeded|exceed_context_size|context_window|context shift|tokens_limit_reached|prompt_too_long|request_too_large/i;

/** Words for the thing that is too long. */
const subject = /context|prompts?\b|inputs?\b|tokens?\b|messages?\b|conversation|request body|sequence/i;

/** Words by which servers say that it is too long. Each was seen in public. */
const tooLong = [
  /exceed(s|ed|ing)?\b/i,
  /too (long|large|many)\b/i,
  /(longer|larger|greater|more) than/i,
  /(maximum|max|model|supported|available)('s)? (allowed )?(context|prompt|input|sequence|token)/i,
  /reduce (the |your )?(length|size|number|prompt|input|messages?)/i,
  /(must|should) (be|have) (<=?|less than|at most|no more than|shorter than)/i,
  /context (length|window|size) (of|is)\b/i,
  /(does not|doesn't|cannot|can't|won't) fit/i,
  /overflow/i,
  /range of input length/i,
  /超长|上下文.{0,6}(超|长)|超过.{0,20}(长度|限制)|过长/,
];

/** Words about tokens or length that mean a rate, a setting of ours, or the length of something else. */
const other =
  /per (minute|hour|day)|\b(tpm|tpd|rpm)\b|rate limit|quota|image|(?<!\+\s?\W?)max_(completion_|new_|output_)?tokens\W{0,3} (is|must|should|cannot)|tool.?call.?id|tool_calls\[|too many (requests|tools|images|messages at once)|extra|unknown (name|field|parameter)|unrecognized/i;

/** Whether a server refused a request because the conversation is longer than the model takes. */
export function isOverflow({ message, code, type }: { message: string; code?: unknown; type?: unknown }): boolean {
  if ([code, type].some((name) => typeof name === 'string' && named.test(name))) return true;
  if (named.test(message)) return true;
  if (/超长|上下文|过长/.test(message)) return tooLong.some((pattern) => pattern.test(message));
  return subject.test(message) && tooLong.some((pattern) => pattern.test(message)) && !other.test(message);
}
