import { definePage, Page, useGo, useRoute, useTexts } from '@platform/kit';
import { Tabs } from '@platform/kit/forms';
import { Audit } from './audit.js';
import { Backups } from './backups.js';
import { Health } from './health.js';
import { Journal } from './journal.js';
import { Settings } from './settings.js';
import { catalogue } from './texts/index.js';
import './page.css';

const parts = { health: Health, settings: Settings, audit: Audit, backups: Backups, journal: Journal };
const names = Object.keys(parts) as (keyof typeof parts)[];

/** Shows how the platform is and what it did, to administrators. */
function Platform() {
  const text = useTexts(catalogue);
  const go = useGo();
  const { part = 'health' } = useRoute().params;
  const tabs = names.map((id) => {
    const Part = parts[id];
    return { id, label: text.parts[id], content: part === id ? <Part /> : undefined };
  });
  return (
    <Page title={text.title}>
      <Tabs label={text.title} tabs={tabs} value={part} onChange={(next) => go(next === 'health' ? '/platform' : `/platform/${next}`)} />
    </Page>
  );
}

export default definePage({ views: { '/platform': Platform, '/platform/:part': Platform } });
