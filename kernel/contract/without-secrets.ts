/** Minimum length of a secret. Shorter values are placeholders or occur in ordinary words. */
const min_secret_length = 8;

/**
 * Replaces secrets in a text by `…`, so that it can be shown to a person. Ignores values of fewer than 8 characters: if a server needs no key
 * and `ollama` is configured as one, that word must stay readable.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.filter(({ length }) => length >= min_secret_length).reduce((shown, secret) => shown.replaceAll(secret, '…'), text);
}
