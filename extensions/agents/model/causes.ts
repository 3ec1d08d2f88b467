/** Message of a refusal, with the server's code and type. */
export interface Refused {
  message: string;
  code?: unknown;
  type?: unknown;
}

const credit = {
  names: /insufficient_(\w+_)?(quota|balance|funds|credits?)|exceeded_current_quota|arrearage|billing_(hard_limit|not_active)/i,
  words:
    /(insufficient|not enough|no|low|negative) (account |user |remaining )?(balance|credits?|funds)\b|\bbalance.{0,30}(insufficient|not enough|too low|run out)|(out of|used all( available)?) credits?|spending limit|in good standing|余额不足|欠费/i,
};
const key = {
  names: /api_?key|authentication|unauthorized|permission_denied/i,
  words:
    /api[ _-]?key\b.{0,40}(not valid|invalid|incorrect|expired|missing|required)|(invalid|incorrect|missing|expired|unknown|wrong|no) (api[ _-]?key|access token|auth\w*( token)?|credentials?)\b|login fail|authentication (fails|failed|error)|令牌(已过期|验证)/i,
};
const content = {
  names: /content_?(filter|policy)|data_?inspection|moderation|sensitive|safety|responsible_?ai/i,
  words:
    /content (management|usage|safety)? ?polic|content_filter|inappropriate content|(requires|failed) moderation|(was|been|is) flagged|considered high risk|unsafe or sensitive|prohibited content|不安全或敏感|敏感内容/i,
};

/** Returns whether an account has run out of credit. */
export const isOutOfCredit = matcherOf(credit);
/** Returns whether a key was rejected. */
export const isKeyRefused = matcherOf(key);
/** Returns whether a filter rejected the content of a conversation. */
export const isContentRefused = matcherOf(content);

/** Creates a matcher by wording, because servers use the status of something else for these causes. */
function matcherOf({ names, words }: { names: RegExp; words: RegExp }): (refused: Refused) => boolean {
  return ({ message, code, type }) => [code, type].some((name) => typeof name === 'string' && names.test(name)) || words.test(message);
}

/** Codes and types that servers use if an answer or a request exceeds the model's context. */
const named =
  /context[_ ]?(length|size|window)?[_ ]?exceeded|exceed_context_size|context_window|context shift|tokens_limit_reached|prompt_too_long|request_too_large/i;

/** Words for the thing that is too long. */
const subject = /context|prompts?\b|inputs?\b|tokens?\b|messages?\b|conversation|request body|sequence/i;

/** Phrases that say that something is too long. Each was seen in public. */
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

/** Phrases about tokens or length that mean a rate, one of our settings, or the length of something else. */
const misleading =
  /per (minute|hour|day)|\b(tpm|tpd|rpm)\b|rate limit|quota|image|(?<!\+\s?\W?)max_(completion_|new_|output_)?tokens\W{0,3} (is|must|should|cannot)|tool.?call.?id|tool_calls\[|too many (requests|tools|images|messages at once)|extra|unknown (name|field|parameter)|unrecognized/i;

/** Returns whether a server refused a request because the conversation exceeds the model's context. */
export function isOverflow({ message, code, type }: { message: string; code?: unknown; type?: unknown }): boolean {
  if ([code, type].some((name) => typeof name === 'string' && named.test(name))) return true;
  if (named.test(message)) return true;
  if (/超长|上下文|过长/.test(message)) return tooLong.some((pattern) => pattern.test(message));
  return subject.test(message) && tooLong.some((pattern) => pattern.test(message)) && !misleading.test(message);
}
