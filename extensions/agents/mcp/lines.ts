/** What one line may have, in bytes. */
const longest_line = 4 * 1024 * 1024;

/** Cuts bytes into lines. Fails where a line has no end in sight. */
export class Lines {
  #parts: Buffer[] = [];
  #size = 0;

  /** The lines that are whole now. */
  *add(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      yield Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#size = 0;
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > longest_line) throw new Error(`it sent a message of more than ${longest_line} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }
}
