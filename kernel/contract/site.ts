import type { BrowserFiles, PageEntry } from './manifest.js';

/** Address prefix of the files for browsers; below it a missing file is 404, never a document. */
export const assets_path = '/assets';

/** The files of an active extension for browsers. */
export interface ExtensionPages {
  /** Id of the extension. */
  extension: string;
  version: string;
  /** Path of the folder with its files. */
  folder: string;
  /** Names of the files in that folder. */
  files: BrowserFiles;
  entries: readonly PageEntry[];
}

/** A navigation of a browser. */
export interface Visit {
  /** Used once: scripts and styles in the document run only with it. */
  nonce: string;
  /** Path prefix of the platform behind a proxy, without a slash at its end; empty without one. */
  prefix: string;
  /** The requested path, without the prefix. */
  path: string;
}

/** A document for browsers. */
export interface SiteDocument {
  html: string;
  /** Its content security policy. */
  policy: string;
}

/**
 * The web app, as one extension offers it. A navigation (a `GET` whose `Accept` names `text/html`) to a path that no other extension claims
 * gets the document, for example `/chat/7`. The files of all extensions lie at `/assets/<extension>/<file>`; their names change with their
 * content, so that browsers keep them for ever. The extension claims `/` and `/assets`.
 */
export interface Site {
  document(visit: Visit): SiteDocument;
  /** Returns the document for a frame within pages, at `/assets/frames/<name>`; undefined if there is none. */
  frame(name: string, visit: Visit): SiteDocument | undefined;
}
