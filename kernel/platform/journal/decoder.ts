/** Parses entries. Remembers the last text, so that a frame to a thousand members is parsed once, and its data shared. */
export class Decoder {
  #json: string | undefined;
  #data: object = {};

  decode(json: string): object {
    if (this.#json !== json) this.#data = JSON.parse(json) as object;
    this.#json = json;
    return this.#data;
  }
}
