import type { ComponentType } from 'react';
import type { Client } from '../../kernel/client/connect.js';
import type { ReferenceKind } from '../../kernel/contract/manifest.js';
import type { Role, Scope } from '../../kernel/contract/operation.js';
import type { Size } from './context.js';

/** A page of the dashboard from one extension: `export default {…} satisfies Panel<MembersApi>` in its `panel.tsx`. */
export interface Panel<Api extends object> {
  title: string;
  /** Lower ones come first. */
  order: number;
  /** Kinds of records that `:` and a name open here. Digits alone are an id of the first one. Default: none. */
  opens?: readonly ReferenceKind[];
  View: ComponentType<PanelProps<Api>>;
}

export interface PanelProps<Api extends object> {
  /** Client for the operations of the installation; `Api` types those that the panel uses. */
  client: Client<Api>;
  /** Whether the panel receives keys. */
  focused: boolean;
  /** Size of the drawing area. */
  size: Size;
  /** Whether actions that change anything are disabled. */
  readonly: boolean;
  /** The logged-in member. */
  me: Me;
  /** Milliseconds since 1970, for {@link ago}. */
  clock: () => number;
  /** A record to open, named on the command line. */
  opened?: Opened | undefined;
}

/** A record named on the command line. */
export interface Opened {
  kind: ReferenceKind;
  id: number | string;
}

export interface Me {
  id: number;
  username: string;
  role: Role;
  /** Scopes of the member's token. */
  scopes: readonly Scope[];
}
