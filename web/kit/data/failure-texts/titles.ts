/** Headlines of failures by their code. */
export type FailureTitles = Readonly<Record<string, string>>;
