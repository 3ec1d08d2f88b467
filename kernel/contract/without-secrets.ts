/** Shorter values are placeholders, or occur in ordinary words. */
const min_secret_length = 8;

/**
 * Replaces whole secrets in a text by `…`, so that it can be shown to a person. Values of fewer than 8 characters stay: the key
 * `ollama` of a server that wants none must not blot out that word.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.filter(({ length }) => length >= min_secret_length).reduce((shown, secret) => shown.replaceAll(secret, '…'), text);
}
