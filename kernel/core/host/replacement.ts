/** How a version takes another's place. */
export interface Replacement {
  /** Whether it belongs to the platform, where nothing of this id was there before. Default false. */
  builtin?: boolean;
  /** Makes the change last: called when the version has been activated and before anyone sees it. If it fails, nothing has changed. */
  commit?: () => Promise<void>;
}
