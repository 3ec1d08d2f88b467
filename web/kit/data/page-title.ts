import { useEffect } from 'react';
import { Value } from './value.js';

export interface PageTitle {
  readonly text: string;
  /** Precedes the title in the browser's tab. */
  readonly unread: number;
}

/** The titles of the parts of the page; the last one is shown. */
export const pageTitles = new Value<readonly PageTitle[]>([]);

/**
 * Sets the title of the document and of narrow screens while the component is shown. `Page` does it by itself if its title is a text. A
 * component's own title wins over that of the components in it.
 */
export function usePageTitle(text: string, { unread = 0 }: { unread?: number } = {}): void {
  useEffect(() => {
    if (text === '') return undefined;
    const title: PageTitle = { text, unread };
    pageTitles.update((before) => [...before, title]);
    return () => pageTitles.update((before) => before.filter((each) => each !== title));
  }, [text, unread]);
}
