import { render } from 'ink-testing-library';
import type { ComponentType, ReactNode } from 'react';
import type { Test } from 'tap';
import type { SocketFrame } from '../../kernel/client/socket-frame.js';
import type { Presence } from '../../kernel/contract/socket.js';
import { KeyQueue } from '../../tui/key-reader.js';
import { DashboardProvider, type Size, Space } from '../../tui/kit/context.js';
import { Keys } from '../../tui/kit/keys.js';
import type { Live, LiveState } from '../../tui/kit/live.js';
import type { Me, Panel, PanelProps } from '../../tui/kit/panel.js';
import { pasted } from '../../tui/kit/typed.js';
import { until } from '../helpers/eventually.js';

/** Frames as a test tells them. */
export class FakeLive implements Live {
  state: LiveState = { state: 'open' };
  readonly presence = new Map<number, Presence>();
  readonly wanted = new Set<string>();
  readonly #listeners = new Set<(frame: SocketFrame) => void>();
  readonly #watchers = new Set<() => void>();

  listen = (heard: (frame: SocketFrame) => void) => {
    this.#listeners.add(heard);
    return () => this.#listeners.delete(heard);
  };

  watch = (changed: () => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  want = (topic: string) => {
    this.wanted.add(topic);
    return () => this.wanted.delete(topic);
  };

  tell(type: string, data: Record<string, unknown> = {}): void {
    for (const heard of this.#listeners) heard({ type, data, ts: '2026-01-02T03:04:05.000Z' });
  }

  change(state: LiveState): void {
    this.state = state;
    for (const changed of this.#watchers) changed();
  }
}

export interface DrawOptions {
  size?: Size;
  readonly?: boolean;
  live?: FakeLive;
}

/** The current time for what is drawn. */
export const now = Date.parse('2026-01-02T03:04:05.000Z');

/** Something that is drawn within a dashboard, until the test's end. */
export class Drawn {
  readonly live: FakeLive;
  readonly notices: string[] = [];
  readonly size: Size;
  readonly #keys: Keys;
  readonly #queue: KeyQueue;
  readonly #ink: ReturnType<typeof render>;

  constructor(
    t: Test,
    element: ReactNode,
    { size = { columns: 80, rows: 20 }, readonly = false, live = new FakeLive() }: DrawOptions = {},
  ) {
    this.live = live;
    this.size = size;
    const notify = (text: string) => void this.notices.push(text);
    const failed = (thrown: unknown) => notify(`! ${(thrown as Error).message}`);
    this.#keys = new Keys({ readonly, failed });
    this.#queue = new KeyQueue((key) => this.#keys.press(key));
    const dashboard = {
      keys: this.#keys,
      live,
      notify,
      failed,
      clock: () => now,
      coloured: false,
      readonly,
      reading: () => undefined,
      viewState: new Map(),
    };
    this.#ink = render(
      <DashboardProvider value={dashboard}>
        <Space value={size}>{element}</Space>
      </DashboardProvider>,
    );
    t.teardown(() => this.#ink.unmount());
  }

  /** Returns the screen. */
  get frame(): string {
    return this.#ink.lastFrame() ?? '';
  }

  get lines(): string[] {
    return this.frame.split('\n').map((line) => line.trimEnd());
  }

  /** The labels of the keys that work now. */
  get offered(): string[] {
    return this.#keys.offered().map(({ key, label }) => `${key} ${label}`);
  }

  /** Presses keys, each by its name. */
  press(...keys: readonly string[]): void {
    this.#queue.add(keys);
  }

  /** Types a text. */
  type(text: string): void {
    this.press(...Array.from(text));
  }

  /** Pastes a text, as a terminal that marks its pastes. */
  paste(text: string): void {
    this.press(...pasted(text));
  }

  /** Waits until the screen has that. */
  async shows(wanted: string | RegExp): Promise<void> {
    await this.becomes((frame) => (typeof wanted === 'string' ? frame.includes(wanted) : wanted.test(frame)), String(wanted));
  }

  /** Waits until the screen hasn't it any more. */
  async loses(unwanted: string): Promise<void> {
    await this.becomes((frame) => !frame.includes(unwanted), `no ${unwanted}`);
  }

  async becomes(isRight: (frame: string) => boolean, wanted: string): Promise<void> {
    try {
      await until(() => this.frame, isRight);
    } catch {
      throw new Error(`The screen has not become ${wanted}:\n${this.frame}`);
    }
  }
}

export const admin: Me = { id: 1, username: 'ada', role: 'admin', scopes: ['read', 'chat', 'admin'] };

export interface PanelOptions extends DrawOptions {
  /** The calls that the panel makes: `{ nodes: { list: async () => […] } }`. */
  client: object;
  me?: Me;
}

/** Draws an extension's panel. */
export function drawPanel<Api extends object>(t: Test, panel: Panel<Api>, options: PanelOptions): Drawn {
  const { client, me = admin, size = { columns: 80, rows: 20 }, readonly = false } = options;
  const View = panel.View as ComponentType<PanelProps<Api>>;
  const props = { client: client as PanelProps<Api>['client'], focused: true, size, readonly, me, clock: () => now };
  return new Drawn(t, <View {...props} />, { ...options, size });
}
