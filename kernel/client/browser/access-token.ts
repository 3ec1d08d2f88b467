/** The page's access token, in memory. */
export interface TokenSource {
  /** Returns the token; undefined if there is none. */
  token: () => string | undefined;
  /** Gets and returns a new token; undefined if the member has to log in. Called once at a time. */
  renew: () => Promise<string | undefined>;
}

/** Gives requests their token. Requests that need a new one at the same time share a renewal. */
export class AccessToken {
  readonly #source: TokenSource;
  #renewal: Promise<string | undefined> | undefined;

  constructor(source: TokenSource) {
    this.#source = source;
  }

  get current(): string | undefined {
    return this.#source.token();
  }

  /** Returns the token, a new one if there is none; undefined if the member has to log in. */
  async get(): Promise<string | undefined> {
    return this.current ?? this.replace(undefined);
  }

  /** Returns a token in place of one that the server has refused; undefined if the member has to log in. */
  async replace(refused: string | undefined): Promise<string | undefined> {
    const { current } = this;
    if (current !== undefined && current !== refused) return current;
    this.#renewal ??= this.#renew();
    return this.#renewal;
  }

  async #renew(): Promise<string | undefined> {
    try {
      return await this.#source.renew();
    } finally {
      this.#renewal = undefined;
    }
  }
}
