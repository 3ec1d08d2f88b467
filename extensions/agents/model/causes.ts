/** The words of a refusal, and the names that its server gives it. */
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

/** Tells whether an account has run out of credit. */
export const isOutOfCredit = matcherOf(credit);
/** Tells whether a key was refused. */
export const isKeyRefused = matcherOf(key);
/** Tells whether a filter refused the content of a conversation. */
export const isContentRefused = matcherOf(content);

/** Returns a test for a cause by its words, because servers refuse these with the status of something else. */
function matcherOf({ names, words }: { names: RegExp; words: RegExp }): (refused: Refused) => boolean {
  return ({ message, code, type }) => [code, type].some((name) => typeof name === 'string' && names.test(name)) || words.test(message);
}
