import { randomBytes } from 'node:crypto';

/** Secrets that are like no other text, by the place where each is entered. */
export class Planted {
  readonly #secrets = new Map<string, string>();

  /** A new one; `shape` puts it into what is accepted there. */
  plant(place: string, shape: (secret: string) => string = (secret) => secret): string {
    return this.keep(place, shape(randomBytes(15).toString('hex')));
  }

  /** One that was made elsewhere. */
  keep(place: string, secret: string): string {
    this.#secrets.set(place, secret);
    return secret;
  }

  get places(): number {
    return this.#secrets.size;
  }

  /** The places of those that a text holds: as they are, in the alphabets of addresses and of base64, or as hexadecimal digits. */
  in(text: string): string[] {
    return [...this.#secrets].filter(([, secret]) => formsOf(secret).some((form) => text.includes(form))).map(([place]) => place);
  }
}

function formsOf(secret: string): string[] {
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('hex')];
  // Within a longer text a secret begins at any of three places of base64's groups, and its ends depend on its neighbours.
  for (const before of ['', 'x', 'xx']) {
    const coded = Buffer.from(before + secret)
      .toString('base64')
      .slice(before === '' ? 0 : 4, -4);
    forms.push(coded, coded.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}
