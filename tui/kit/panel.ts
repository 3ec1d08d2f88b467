import type { ComponentType } from 'react';
import type { Client } from '../../kernel/client/connect.js';
import type { ReferenceKind } from '../../kernel/contract/manifest.js';
import type { Role, Scope } from '../../kernel/contract/operation.js';
import type { Size } from './context.js';

/** A page of the dashboard, of one extension: `export default {…} satisfies Panel<MembersApi>` in its `panel.tsx`. */
export interface Panel<Api extends object> {
  title: string;
  /** Lower ones come first. */
  order: number;
  /** Kinds of records that `:` and a name open here. Digits alone are an id of the first one. Default: none. */
  opens?: readonly ReferenceKind[];
  View: ComponentType<PanelProps<Api>>;
}

export interface PanelProps<Api extends object> {
  /** All operations of the installation; `Api` says which of them the panel knows. */
  client: Client<Api>;
  /** Whether keys are meant for it. */
  focused: boolean;
  /** What it may draw. */
  size: Size;
  /** Nothing is offered that changes anything. */
  readonly: boolean;
  /** Who looks at it. */
  me: Me;
  /** Milliseconds since 1970, for {@link ago}. */
  clock: () => number;
  /** The record to open, which the command line has named. */
  opened?: Opened | undefined;
}

/** A record that the command line has named. */
export interface Opened {
  kind: ReferenceKind;
  id: number | string;
}

export interface Me {
  id: number;
  username: string;
  role: Role;
  /** The scopes of its token. */
  scopes: readonly Scope[];
}
