import { Failure } from '../kernel/contract/failure.js';
import { ringOf } from './journal/ring.js';
import type { Dashboard } from './kit/context.js';
import { Keys } from './kit/keys.js';
import { LiveFrames } from './live-frames.js';
import { Notices } from './notices.js';
import { type FoundPanel, findPanels, viewsNamed } from './panels.js';
import type { Session } from './session.js';
import { Views } from './views.js';

export interface ModelOptions {
  session: Session;
  /** Default: the panels of the built-in extensions. */
  panels?: readonly FoundPanel[] | undefined;
  readonly: boolean;
  coloured: boolean;
  hintOf: (code: string) => string | undefined;
  clock: () => number;
}

/** State of the dashboard, without its components. */
export class Model {
  readonly session: Session;
  readonly live: LiveFrames;
  readonly views: Views;
  readonly notices: Notices;
  readonly dashboard: Dashboard;
  #reading = 0;
  #hasStarted = false;

  static async open(options: ModelOptions): Promise<Model> {
    const live = new LiveFrames(options.session, options.clock);
    try {
      const panels = options.panels ?? (await findPanels());
      return new Model(options, live, await Views.open({ session: options.session, live, panels }));
    } catch (thrown) {
      await live.close();
      throw thrown;
    }
  }

  private constructor({ session, readonly, coloured, hintOf, clock }: ModelOptions, live: LiveFrames, views: Views) {
    this.session = session;
    this.live = live;
    this.views = views;
    const notices = new Notices(hintOf);
    this.notices = notices;
    const { notify, failed } = notices;
    const keys = new Keys({ readonly, failed });
    this.dashboard = {
      keys,
      live,
      notify,
      failed,
      clock,
      coloured,
      readonly,
      reading: (change) => this.#countRead(change),
      viewState: new Map(),
    };
    ringOf(this.dashboard);
  }

  /** Whether the components have started to read, and all reads are finished. */
  get isSettled(): boolean {
    return this.#hasStarted && this.#reading === 0;
  }

  /**
   * Returns the full name of the view named on the command line; undefined if none is named.
   *
   * @throws `view_not_found` (404).
   */
  viewNamed(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const { views } = this.views.get();
    const [found] = viewsNamed(views, text);
    if (found) return found.name;
    throw new Failure('view_not_found', `There is no view '${text}'; there are ${views.map(({ name }) => name).join(', ')}`, {
      status: 404,
    });
  }

  async close(): Promise<void> {
    this.views.close();
    this.notices.clear();
    await this.live.close();
  }

  #countRead(change: 1 | -1): void {
    this.#hasStarted = true;
    this.#reading += change;
  }
}
