/** Binds a key to an action. */
export interface Binding {
  /** A character, or `enter`, `esc`, `tab`, `up`, `down`, `left`, `right`, `pgup`, `pgdn`, `home`, `end`, `backspace`, `delete`, `ctrl-d`. */
  key: string;
  /** The action in one or two words, for footer and help. */
  label: string;
  run: () => void | Promise<void>;
  /** Whether the action changes something; disabled by `--readonly`. */
  changes?: boolean | undefined;
  /** Shown in the help but not in the footer. */
  quiet?: boolean | undefined;
  /** Listed here, but run by another layer. */
  isElsewhere?: boolean | undefined;
}

/** A component's key bindings while it is drawn. */
export interface Layer {
  /** Deeper layers take precedence; at the same depth, newer ones. */
  depth: number;
  bindings: () => readonly Binding[];
  /** Handles typed or pasted text before any binding; returns whether it did. */
  type?: ((key: string) => boolean) | undefined;
}

export interface KeysOptions {
  readonly: boolean;
  failed: (thrown: unknown) => void;
}

/** Dispatches keys to the layers that are drawn. */
export class Keys {
  readonly #options: KeysOptions;
  readonly #listeners = new Set<() => void>();
  #layers: readonly Layer[] = [];

  constructor(options: KeysOptions) {
    this.#options = options;
  }

  /** Adds a layer; returns the function that removes it. */
  add(layer: Layer): () => void {
    this.#put([layer, ...this.#layers].sort((one, other) => other.depth - one.depth));
    return () => this.#put(this.#layers.filter((each) => each !== layer));
  }

  /** Runs the first binding of a key. */
  press(key: string): void {
    for (const layer of this.#layers) {
      if (layer.type?.(key)) return;
      const found = layer.bindings().find((binding) => binding.key === key && !binding.isElsewhere);
      if (!found || !this.#isOffered(found)) continue;
      this.#run(found);
      return;
    }
  }

  /** Returns the active bindings, each key once. Layers below a text input don't count. */
  offered(): readonly Binding[] {
    const typing = this.#layers.findIndex(({ type }) => type !== undefined);
    const layers = typing === -1 ? this.#layers : this.#layers.slice(0, typing + 1);
    const all = layers.flatMap((layer) => layer.bindings()).filter((binding) => this.#isOffered(binding));
    return all.filter((binding, index) => all.findIndex(({ key }) => key === binding.key) === index);
  }

  /** Returns the layers; the value is a new one after each change. */
  snapshot = (): readonly Layer[] => this.#layers;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #put(layers: readonly Layer[]): void {
    this.#layers = layers;
    for (const listener of this.#listeners) listener();
  }

  #isOffered({ changes }: Binding): boolean {
    return !(changes && this.#options.readonly);
  }

  #run({ run }: Binding): void {
    void (async () => run())().catch((thrown: unknown) => this.#options.failed(thrown));
  }
}
