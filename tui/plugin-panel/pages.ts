import { type ComponentType, createElement } from 'react';
import type { PanelRecord } from '../../kernel/contract/system.js';
import type { PanelProps } from '../kit/panel.js';
import type { AnyPanel, View } from '../panels.js';
import type { Source } from './source.js';
import { PluginView } from './view.js';

/** Among those of the platform's own extensions, before the journal. */
const plugin_order = 80;

interface Latest {
  hint: PanelRecord;
  source: Source;
}

/** The pages of plugins. One stays the same while its plugin is there: what is half typed in it outlasts changes of others. */
export class PluginPages {
  #pages = new Map<string, Page>();

  /** Those that there are now. */
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
