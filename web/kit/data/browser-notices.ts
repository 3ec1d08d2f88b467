import { useKept } from './kept.js';

/** How this browser tells of messages while a tab of the app is open, whichever page it shows. Off until the member switches it on. */
export interface BrowserNotices {
  browser: boolean;
  sound: boolean;
}

const off: BrowserNotices = { browser: false, sound: false };

/** Returns the settings of this browser's notices, and the function that changes them. The shell shows the notices. */
export function useBrowserNotices() {
  return useKept<BrowserNotices>('shell.notices', off, { persisted: true });
}
