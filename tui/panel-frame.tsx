import { Component, type ReactNode } from 'react';
import { type Size, useDashboard } from './kit/context.js';
import type { Opened } from './kit/panel.js';
import { Text } from './kit/text.js';
import type { Model } from './model.js';
import type { View } from './panels.js';

export interface PanelFrameProps {
  model: Model;
  view: View;
  size: Size;
  focused: boolean;
  opened: Opened | undefined;
}

/** Draws a panel with its props; an error in it doesn't affect the rest. */
export function PanelFrame({ model, view, size, focused, opened }: PanelFrameProps) {
  const { clock, readonly } = useDashboard();
  const { client, me } = model.views.get().installation;
  const { View: Drawn } = view.panel;
  return (
    <Boundary>
      <Drawn client={client} focused={focused} size={size} readonly={readonly} me={me} clock={clock} opened={opened} />
    </Boundary>
  );
}

class Boundary extends Component<{ children: ReactNode }, { fault: unknown }> {
  override state: { fault: unknown } = { fault: undefined };

  static getDerivedStateFromError(fault: unknown) {
    return { fault };
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    return <Text kind="bad">{`This view failed: ${fault instanceof Error ? fault.message : String(fault)}`}</Text>;
  }
}
