/** What a key does. */
export interface Binding {
  /** A character, or `enter`, `esc`, `tab`, `up`, `down`, `left`, `right`, `pgup`, `pgdn`, `home`, `end`, `backspace`, `delete`, `ctrl-d`. */
  key: string;
  /** What it does, in one or two words: stands in the footer and in the help. */
  label: string;
  run: () => void | Promise<void>;
  /** It changes something: it isn't there with `--readonly`. */
  changes?: boolean | undefined;
  /** Works, and stands in the help alone. */
  quiet?: boolean | undefined;
  /** Another layer runs it; here it is only listed. */
  isElsewhere?: boolean | undefined;
}

/** What takes part in the keys while it is drawn. */
export interface Layer {
  /** What lies deeper comes first; of two at one depth the newer. */
  depth: number;
  bindings: () => readonly Binding[];
  /** Takes what is typed or pasted before any binding; gives whether it has. */
  type?: ((key: string) => boolean) | undefined;
}

export interface KeysOptions {
  readonly: boolean;
  failed: (thrown: unknown) => void;
}

/** Who listens to which key now. */
export class Keys {
  readonly #options: KeysOptions;
  readonly #heard = new Set<() => void>();
  #layers: readonly Layer[] = [];

  constructor(options: KeysOptions) {
    this.#options = options;
  }

  /** Gives a function that takes the layer away. */
  add(layer: Layer): () => void {
    this.#put([layer, ...this.#layers].sort((one, other) => other.depth - one.depth));
    return () => this.#put(this.#layers.filter((each) => each !== layer));
  }

  /** Does what the key stands for now. */
  press(key: string): void {
    for (const layer of this.#layers) {
      if (layer.type?.(key)) return;
      const found = layer.bindings().find((binding) => binding.key === key && !binding.isElsewhere);
      if (!found || !this.#isOffered(found)) continue;
      this.#run(found);
      return;
    }
  }

  /** What works now, each key once. While something takes what is typed, that alone counts. */
  offered(): readonly Binding[] {
    const typing = this.#layers.findIndex(({ type }) => type !== undefined);
    const layers = typing === -1 ? this.#layers : this.#layers.slice(0, typing + 1);
    const all = layers.flatMap((layer) => layer.bindings()).filter((binding) => this.#isOffered(binding));
    return all.filter((binding, index) => all.findIndex(({ key }) => key === binding.key) === index);
  }

  /** The layers themselves: another value after each change. */
  snapshot = (): readonly Layer[] => this.#layers;

  subscribe = (heard: () => void): (() => void) => {
    this.#heard.add(heard);
    return () => this.#heard.delete(heard);
  };

  #put(layers: readonly Layer[]): void {
    this.#layers = layers;
    for (const heard of this.#heard) heard();
  }

  #isOffered({ changes }: Binding): boolean {
    return !(changes && this.#options.readonly);
  }

  #run({ run }: Binding): void {
    void (async () => run())().catch((thrown: unknown) => this.#options.failed(thrown));
  }
}
