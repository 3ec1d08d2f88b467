interface Policy {
  createHTML(text: string): string;
}

declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;

const reference = /^&[a-z0-9]+;$/i;

const rules: Policy = {
  createHTML(text) {
    if (!reference.test(text)) throw new TypeError('Only a character reference may become HTML');
    return text;
  },
};

/** The only HTML that the app's policy lets a script write: `&name;`, which can be nothing but text. */
const policy = typeof trustedTypes === 'undefined' ? rules : trustedTypes.createPolicy('app', rules);

const element = document.createElement('i');

/**
 * Returns the characters of a named reference, such as `amp`; false if HTML has none of that name. Takes the place of the package
 * `decode-named-character-reference` in Markdown.
 */
export function decodeNamedCharacterReference(name: string): string | false {
  const text = `&${name};`;
  if (!reference.test(text)) return false;
  element.innerHTML = policy.createHTML(text);
  const characters = element.textContent;
  // In `&notit;` only `&not` is known, and its end stays.
  return (characters.endsWith(';') && name !== 'semi') || characters === text ? false : characters;
}
