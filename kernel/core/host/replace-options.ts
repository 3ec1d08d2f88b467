/** Options of a replacement. */
export interface ReplaceOptions {
  /** Whether a new extension is one of the platform's own. Ignored if the id is known. Default false. */
  builtin?: boolean;
  /** Persists the change, after activation and before publication. If it fails, nothing changes. */
  commit?: () => Promise<void>;
}
