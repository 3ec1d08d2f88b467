/** A document with something special about it, and the answer to it. */
export interface DocumentCase {
  /** The cause. */
  name: string;
  /** The rule of the format, or the public report, behind it. */
  source: string;
  /** Makes it. Where it names an address, it names this one, at which nothing must arrive. */
  make: (url: string) => Buffer | string | Promise<Buffer | string>;
  /** Its name, which decides between kinds of text alone. */
  file?: string;
  /** Its pages, joined by form feeds; of a document that isn't read `refused: ` and the code. */
  answer: string | RegExp;
  /** Whether it takes so much that it is read in a process of its own alone. */
  is_heavy?: boolean;
}
