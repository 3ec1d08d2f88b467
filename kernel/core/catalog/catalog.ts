import type { ObjectSchema, Schema } from 'joi';
import type { DoorHandler, ProtocolDoor } from '../../contract/door.js';
import type { Codes } from '../../contract/failure.js';
import type { Manifest, OperationData, Protocol } from '../../contract/manifest.js';
import type { Call, Operation, Preparing } from '../../contract/operation.js';
import type { ExtensionState } from '../../contract/system.js';

/** An operation of an activation that runs: its data, its compiled schemas and its handler. */
export interface ActiveOperation {
  readonly id: string;
  /** The id of the extension. */
  readonly extension: string;
  readonly operation: Operation;
  /** The compiled input, made on first use; an empty object's schema where the operation takes none. */
  readonly input: ObjectSchema;
  /** The compiled answer, where the operation has one. */
  readonly answer: Schema | undefined;
  /** The same as data; made on first use. */
  readonly data: () => OperationData;
  /** The extension's failure codes and their statuses. */
  readonly codes: Codes;
  readonly handler: (input: object, call: Call) => unknown;
  /** The first of two steps, where the handler has two. */
  readonly prepare?: Preparing<object, unknown>['prepare'] | undefined;
  /** Gives what reads an input that is too costly to read here; undefined where `input` reads it. */
  readonly read?: ((input: unknown) => (() => Promise<object>) | undefined) | undefined;
  /** The activation that it belongs to: counts its calls under way. */
  readonly activation: Activation;
}

/** A path of an activation that speaks a protocol of its own. */
export interface ActiveDoor {
  readonly extension: string;
  readonly door: ProtocolDoor;
  readonly handle: DoorHandler;
  readonly activation: Activation;
}

/** Counts calls and streams under way in one version of an extension, so that a stop can drain them. */
export interface Activation {
  readonly extension: string;
  readonly version: string;
  enter(): void;
  leave(): void;
}

/** The target that serves a claimed path prefix now. */
export type Target<Cell> = {
  readonly extension: string;
  /** Protocol whose error shape clients expect there; undefined for the platform's own API. */
  readonly protocol?: Protocol | undefined;
} & (
  | { readonly kind: 'cell'; readonly cell: Cell }
  /** Disabled, failed, or stopped because its dependency is: answered with 503 `extension_unavailable`. */
  | { readonly kind: 'unavailable'; readonly reason: string }
);

/** Everything that is loaded, at one moment. Replaced whole by one assignment, never changed. */
export interface Catalog<Cell = unknown> {
  /** Rises by one with each publication. */
  readonly generation: number;
  readonly operations: ReadonlyMap<string, ActiveOperation>;
  /** Path prefix (`/api/members`) → what serves it. */
  readonly claims: ReadonlyMap<string, Target<Cell>>;
  readonly extensions: ReadonlyMap<string, ExtensionRecord>;
}

export interface ExtensionRecord {
  readonly manifest: Manifest;
  readonly state: ExtensionState;
  /** Why it is failed or stopped. */
  readonly error: string | undefined;
  readonly builtin: boolean;
  readonly loaded_at: string | undefined;
  /** The SHA-256 of its bundle and manifest. */
  readonly hash: string;
  readonly restarts: number;
}
