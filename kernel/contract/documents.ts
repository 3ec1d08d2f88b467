/** A heading of a document, and its page. The first page is 1. */
export interface OutlineEntry {
  title: string;
  page: number;
}

/** The text of a document. A PDF's pages are its own and a slide is one; other text is cut at about 3,000 characters. */
export interface DocumentText {
  /** Plain text with line breaks. A page may be empty. */
  pages: readonly string[];
  /** In the document's order, at most 1,000 entries with titles of up to 200 characters. */
  outline: readonly OutlineEntry[];
  /** Whether the document goes on: only its first 5,000,000 characters, or fewer on demand, and 20,000 pages are read. */
  is_cut: boolean;
}

/** A document without text, or one that can't be read. Another try gives the same answer, unless reading took too long. */
export interface UnreadableDocument {
  /** The reason, as a sentence that begins with `The document`. */
  reason: string;
  /** Set if reading took too long. Another try may succeed when the machine has less to do. */
  is_late?: true;
}

export interface DocumentOptions {
  /** Name of the file. With the media type it distinguishes Markdown and parts of HTML from plain text; bytes identify all other kinds. */
  name: string;
  mime_type: string;
  /** Ends the wait and the reading. */
  signal?: AbortSignal | undefined;
  /** Limit of the text, in UTF-16 units: reading ends there, and the text is cut. Default and most: 5,000,000. */
  max_characters?: number | undefined;
}

/** A document whose bytes are read only when they are needed. */
export interface StoredDocument extends Pick<DocumentOptions, 'name' | 'mime_type'> {
  /** Identifies the bytes, such as the hex of their SHA-256. */
  hash: string;
  /** Returns the bytes. May be called several times. */
  bytes: () => Promise<Uint8Array>;
}

export interface TextsOptions {
  /** Limit of the texts that a member waits for, besides the one that is being read. Default: no limit. */
  max_waiting?: number;
}

/** For whom a text is read. */
export interface TextReading {
  /** Ends the wait, and the reading if nobody else waits for it. */
  signal: AbortSignal;
  /** Member for whom it is read. Without one it takes no turns. */
  member_id?: number | undefined;
  /** Limit of the text, as that of {@link DocumentOptions}. A text that is known already may be longer. */
  max_characters?: number | undefined;
}

/**
 * Texts of documents, cached in memory by their bytes and kind. Check the caller's rights before each call, because equal bytes may belong to
 * several members.
 */
export interface DocumentTexts {
  /**
   * Returns the text of a document. Callers who want the same text at once share one reading. Each member waits for one text at a time:
   * otherwise a member with slow documents would keep all others waiting. The bytes of two documents are in memory at once. Fails with
   * `server_busy` if too many documents of the member wait, as `bytes` does, and as {@link Documents.read} does.
   */
  of(document: StoredDocument, reading: TextReading): Promise<DocumentText | UnreadableDocument>;
}

/**
 * Reads the text of documents: PDF, DOCX, XLSX, PPTX, HTML, Markdown, CSV and other plain text. Each is read in a process of its own behind
 * the walls that plugins have, within 60 s, because documents are hostile input.
 */
export interface Documents {
  /**
   * Returns a document's text, or why it has none. Reads two documents at a time. Fails with `documents_not_contained` if this machine lacks
   * the walls, with `server_busy` if 32 documents wait, with `document_failed` if the process could not start, with `shutting_down` if the
   * platform stops, and with the signal's reason.
   */
  read(bytes: Uint8Array, options: DocumentOptions): Promise<DocumentText | UnreadableDocument>;
  /** Makes an empty cache of texts, which lasts as long as it is used. */
  texts(options?: TextsOptions): DocumentTexts;
}
