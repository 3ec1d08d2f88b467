/** Something hostile that is tried. `TRACKER` in texts stands for the address of a server elsewhere, which nobody may ask. */
export interface HostileCase {
  /** The claim: how it is harmless. Unique. */
  name: string;
  /** Public reports of the same fault elsewhere, or the rule that forbids it. */
  rule: string;
}

/** Text in a message, a reply or a readme, which is shown as Markdown. */
export interface MarkdownCase extends HostileCase {
  text: string;
  /** Text that stands there then. Default: the text itself. */
  shown?: string;
  /** Addresses of all links. */
  links?: readonly string[];
  /** A selector that has to match nothing in the message. */
  without?: string;
}

/** A request that the server has to answer in this way. */
export interface RequestCase extends HostileCase {
  /** Default: GET. */
  method?: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** A text, or what becomes JSON. */
  body?: string | object;
  /** Member who sends the request. Default: nobody. */
  as?: 'admin' | 'mallory';
  status: number;
  /** Headers of the answer; null for those that have to be absent. */
  answers?: Readonly<Record<string, RegExp | null>>;
  /** Pattern that the body must match. */
  says?: RegExp;
  /** Pattern that the body must not match. */
  hides?: RegExp;
}

/** Calls this if a hostile text has run. */
export const ran = '__ran(1)';
/** The usual element that runs a script as soon as it is in a document. */
export const image = `<img src=x onerror=${ran}>`;
