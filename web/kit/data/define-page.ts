import type { ComponentType } from 'react';

/** The views of an extension's pages. */
export interface PageModule {
  /**
   * Pattern of an address → the component that shows it: `/chat/:session_id`. The most specific pattern wins. A component that serves several
   * patterns stays mounted when the address changes from one to another.
   */
  readonly views: Readonly<Record<string, ComponentType>>;
}

/** Describes the pages of an extension: the default export of its `web/page.tsx`. */
export function definePage(page: PageModule): PageModule {
  return page;
}
