import type { ObjectSchema, Schema } from 'joi';
import type { DoorHandler, ProtocolDoor } from '../../contract/door.js';
import type { Codes } from '../../contract/failure.js';
import type { Manifest, OperationData, Protocol } from '../../contract/manifest.js';
import type { Call, Example, Operation, Preparing } from '../../contract/operation.js';
import type { ExtensionState } from '../../contract/system.js';

/** An operation of a running activation: its data, its compiled schemas and its handler. */
export interface ActiveOperation {
  readonly id: string;
  /** The id of the extension. */
  readonly extension: string;
  readonly operation: Operation;
  /** The compiled input schema, made on first use; that of an empty object if the operation takes no input. */
  readonly input: ObjectSchema;
  /** The compiled answer schema, if the operation has one. */
  readonly answer: Schema | undefined;
  /** Returns the operation as plain data (JSON Schema); made on first use. */
  readonly data: () => OperationData;
  /** A worked example, if there is one. */
  readonly example?: () => Example | undefined;
  /** The extension's failure codes and their statuses. */
  readonly codes: Codes;
  readonly handler: (input: object, call: Call) => unknown;
  /** The first step of a handler that has two. */
  readonly prepare?: Preparing<object, unknown>['prepare'] | undefined;
  /** Returns a function that reads a costly input in another process; undefined if `input` reads it here. */
  readonly read?: ((input: unknown) => (() => Promise<object>) | undefined) | undefined;
  /** Counts the running calls of the activation that owns the operation. */
  readonly activation: Activation;
}

/** A path of an activation that speaks its own protocol. */
export interface ActiveDoor {
  readonly extension: string;
  readonly door: ProtocolDoor;
  readonly handle: DoorHandler;
  readonly activation: Activation;
}

/** Counts running calls and streams of one version of an extension, so that a stop can drain them. */
export interface Activation {
  readonly extension: string;
  readonly version: string;
  enter(): void;
  leave(): void;
}

/** The current target of a claimed path prefix. */
export type Target<Cell> = {
  readonly extension: string;
  /** Protocol whose error shape clients expect there; undefined for the platform's own API. */
  readonly protocol?: Protocol | undefined;
} & (
  | { readonly kind: 'cell'; readonly cell: Cell }
  /** Disabled, failed, or stopped because a dependency stopped: answered with 503 `extension_unavailable`. */
  | { readonly kind: 'unavailable'; readonly reason: string }
);

/** Immutable snapshot of everything that is loaded. One assignment replaces it. */
export interface Catalog<Cell = unknown> {
  /** Increases by one with each publication. */
  readonly generation: number;
  readonly operations: ReadonlyMap<string, ActiveOperation>;
  /** Targets by path prefix (`/api/members`). */
  readonly claims: ReadonlyMap<string, Target<Cell>>;
  readonly extensions: ReadonlyMap<string, ExtensionRecord>;
}

export interface ExtensionRecord {
  readonly manifest: Manifest;
  readonly state: ExtensionState;
  /** Reason for the state `failed` or a stop. */
  readonly error: string | undefined;
  readonly builtin: boolean;
  readonly loaded_at: string | undefined;
  /** SHA-256 of its bundle and manifest. */
  readonly hash: string;
  readonly restarts: number;
}
