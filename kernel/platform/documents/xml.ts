import { TextDecoder } from 'node:util';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { Refusal } from './refusal.js';

/** Receives the parts of an XML document. Names come without their prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Attributes of an element. */
export class Attributes {
  readonly #values: Readonly<Record<string, string>>;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = values;
  }

  /** Returns the value of an attribute without a prefix. */
  get(name: string): string | undefined {
    return this.#values[name];
  }

  /** Returns the value of an attribute with any prefix. */
  prefixed(name: string): string | undefined {
    return Object.entries(this.#values).find(([key]) => key.endsWith(`:${name}`))?.[1];
  }
}

/**
 * Parses XML in pieces. It knows only XML's own five entities. A document type, which could define others or name files and addresses, is
 * refused; Office never writes one.
 *
 * @throws `damaged`
 */
export async function parseXml(pieces: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const damaged = () => {
    throw new Refusal('damaged');
  };
  parser.on('doctype', damaged);
  parser.on('error', damaged);
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => handler.open?.(localName(name), new Attributes(attributes)));
  parser.on('closetag', ({ name }: SaxesTagPlain) => handler.close?.(localName(name)));
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  let decoder: TextDecoder | undefined;
  for await (const piece of pieces) {
    decoder ??= new TextDecoder(encodingOf(piece));
    parser.write(decoder.decode(piece, { stream: true }));
  }
  parser.close();
}

/** Returns the encoding that the byte order mark names; XML without one is UTF-8. */
export function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
