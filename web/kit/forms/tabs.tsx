import type { ReactNode } from 'react';
import { Tabs as RacTabs, Tab, TabList, TabPanel } from 'react-aria-components/Tabs';
import { Count } from '../components/badge.js';

export interface TabEntry {
  id: string;
  label: string;
  /** How many are in it; not shown for 0. */
  count?: number | undefined;
  content: ReactNode;
}

export interface TabsProps {
  /** Name of the tabs for screen readers. */
  label: string;
  tabs: readonly TabEntry[];
  /** Id of the tab that is shown; leave it out to begin with the first. */
  value?: string | undefined;
  onChange?: ((id: string) => void) | undefined;
}

/** Shows one of several contents, with a tab for each. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <RacTabs
      className="kit-tabs"
      {...(value !== undefined && { selectedKey: value })}
      onSelectionChange={(id) => onChange?.(String(id))}
      keyboardActivation="automatic"
    >
      <TabList aria-label={label} className="kit-tab-list">
        {tabs.map(({ id, label: name, count }) => (
          <Tab key={id} id={id} className="kit-tab">
            {name}
            {count !== undefined && <Count n={count} />}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="kit-tab-panel">
          {content}
        </TabPanel>
      ))}
    </RacTabs>
  );
}
