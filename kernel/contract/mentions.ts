const max_names = 20;
const code = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
const mention = /(?<![\p{L}\p{N}_.@/:-])@([A-Za-z0-9._-]{2,64})(?![A-Za-z0-9_@/-])/gu;

/**
 * Returns the user names that a text mentions as `@username`, in lower case, each once, the first 20. Ignores code and e-mail addresses, and
 * a full stop at the end of a name. Doesn't check whether such members exist.
 */
export function mentionedNames(text: string): string[] {
  const names = new Set<string>();
  for (const [, name = ''] of text.replaceAll(code, ' ').matchAll(mention)) {
    const plain = name.replace(/\.+$/, '').toLowerCase();
    if (plain.length >= 2) names.add(plain);
    if (names.size === max_names) break;
  }
  return [...names];
}
