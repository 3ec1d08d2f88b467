import { type ComponentType, createElement } from 'react';
import type { PanelRecord } from '../../kernel/contract/system.js';
import type { PanelProps } from '../kit/panel.js';
import type { AnyPanel, View } from '../panels.js';
import type { Source } from './source.js';
import { PluginView } from './view.js';

/** Order of plugin pages: among the built-in ones, before the journal. */
const plugin_order = 80;

interface Latest {
  hint: PanelRecord;
  source: Source;
}

/** Creates the pages of plugins. A page persists while its plugin is active, so that typed input survives changes of others. */
export class PluginPages {
  #pages = new Map<string, Page>();

  /** Returns the views of the current plugins. */
  views(hints: readonly PanelRecord[], source: Source): View[] {
    const before = this.#pages;
    this.#pages = new Map();
    return hints.map((hint) => {
      const name = `${hint.extension} ${hint.title}`;
      const page = before.get(name) ?? new Page();
      page.latest = { hint, source };
      this.#pages.set(name, page);
      return { name, panel: { title: hint.title, order: plugin_order, View: page.View as AnyPanel['View'] } };
    });
  }
}

class Page {
  latest: Latest | undefined;

  readonly View: ComponentType<PanelProps<object>> = (props) =>
    this.latest === undefined ? null : createElement(PluginView, { ...props, ...this.latest });
}
