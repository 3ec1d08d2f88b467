import type { Contract, Kind, PageEntry, PanelRecord, Role, Scope } from '../../kernel/contract/index.js';

/** Parts of an operation that a client needs to call it. */
export interface OperationRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  kind: Kind;
  /** Input keys that `POST` and `PUT` take from the query. */
  query?: readonly string[];
  /** Media type of a raw upload, and the name of the file's field in a form. */
  raw?: string;
  file_field?: string;
  /** Whether repeated requests with one key are done once. */
  idempotent?: 'data' | 'external';
  /** Whether it reports progress to those who ask for it. */
  progress?: boolean;
  /** Time limit in ms if it isn't the usual one. */
  timeout_ms?: number;
}

/** The pages of one extension. */
export interface StartPages {
  extension: string;
  version: string;
  /** Address of the module, which a browser imports. */
  module: string;
  /** Address of its style sheet; null without one. */
  style: string | null;
  /** Entries of the navigation. */
  entries: readonly PageEntry[];
}

/** Everything that the web app needs to start for a member. */
export interface Start {
  me: { id: number; username: string; nickname: string; role: Role; scopes: readonly Scope[] };
  settings: { language: string | null; zone: string | null; theme: string | null };
  /** Changes with each change of what is loaded. */
  generation: number;
  /** Address of the module that starts the web app. An open page that runs another one is out of date. */
  shell: string;
  pages: readonly StartPages[];
  /** Plugins' pages. */
  panels: readonly PanelRecord[];
  /** Operations that the member may call, by id. */
  operations: Readonly<Record<string, OperationRoute>>;
}

/** Input and answer of each operation. */
export type WebApi = {
  'web.start': { input: object; answer: Start };
};

export interface Web extends Contract {
  id: 'web';
  api: WebApi;
  service: Record<string, never>;
  events: Record<string, never>;
}
