const max_names = 20;
const code = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
const mention = /(?<![\p{L}\p{N}_.@/:-])@([A-Za-z0-9._-]{2,64})(?![A-Za-z0-9_@/-])/gu;

/**
 * Finds the user names that a text mentions as `@username`: whole words, outside of code; not e-mail addresses. In lower case,
 * each once, the first 20. A full stop at the end belongs to the sentence. Whether there are such members is not looked at.
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
