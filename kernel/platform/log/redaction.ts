const HIDDEN = '[redacted]';
const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
const MAX_TEXT = 8_192;

/**
 * Matches keys of secrets by the end of their name: `token` and `bot_token` are secret, `token_id` and `output_tokens` are not. Headers,
 * arguments and environment variables may contain secrets under any name; `spawnargs` is Node's name for the arguments of a failed spawn.
 */
const SECRET_KEY =
  /^(?:headers|(?:spawn)?args|env)$|(?:password|passphrase|secret|token|ticket|apikey|secretkey|privatekey|authorization|cookie|credentials?)$/;

const SECRET_TEXTS: readonly [RegExp, string][] = [
  [/\b((?:\w{0,40}[_-])?(?:token|ticket|password|secret|api[_-]?key))=[^&\s"'#]+/gi, `$1=${HIDDEN}`],
  [/("(?:\w{0,40}_)?(?:token|ticket|password|secret|api_key|authorization)"\s{0,4}:\s{0,4})"[^"]*"/gi, `$1"${HIDDEN}"`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
  [/\bplat_[\w-]{4,}/g, HIDDEN],
  [/\beyJ[\w-]{8,}(?:\.[\w-]*){1,4}/g, HIDDEN],
  [/(\/\/)[^/@:\s]*:[^/@\s]*@/g, `$1${HIDDEN}@`],
  // Complete or truncated.
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, HIDDEN],
];

/** Matches texts that may contain {@link SECRET_TEXTS}, so that most lines need only one pass. */
const SUSPICIOUS = /=|"|bearer|basic|plat_|eyJ|@|PRIVATE KEY-/i;

/** Redacts tokens, tickets, passwords and keys in a text; truncates it to 8,192 characters. */
export function redactText(text: string): string {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  if (!SUSPICIOUS.test(short)) return short;
  return SECRET_TEXTS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), short);
}

/**
 * Copies a log line's fields without secrets: redacts the values of secret keys, and searches
 * texts. Six levels deep, at most 100 keys or items each; the rest is dropped.
 */
export function redactFields(fields: object): Record<string, unknown> {
  return copyObject(fields, 0);
}

function isSecret(key: string): boolean {
  return SECRET_KEY.test(key.toLowerCase().replaceAll(/[_-]/g, ''));
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => copy(item, depth + 1));
  if (value instanceof Error) return copyError(value, depth);
  return copyObject(value, depth + 1);
}

function copyObject(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([key, item]) => [key, isSecret(key) && item ? HIDDEN : copy(item, depth)]));
}

function copyError(error: Error, depth: number): Record<string, unknown> {
  return {
    name: error.name,
    message: redactText(error.message),
    ...copyObject(error, depth + 1),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: copy(error.cause, depth + 1) }),
  };
}
