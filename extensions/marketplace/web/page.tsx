import { definePage, mayAdminister, Page, useGo, useMe, useRoute, useTexts } from '@platform/kit';
import { Tabs } from '@platform/kit/forms';
import { Browse } from './browse.js';
import { ExtensionPage } from './extension.js';
import { Installed } from './installed.js';
import { PluginSettingsPage } from './plugin-settings.js';
import { Publish } from './publish.js';
import { ReviewPage, Reviews } from './reviews.js';
import { catalogue } from './texts/index.js';
import './page.css';

/** Shows what can be installed, what is installed, and to administrators what waits for a review. */
function Marketplace() {
  const text = useTexts(catalogue);
  const go = useGo();
  const isAdmin = mayAdminister(useMe());
  const { part = 'browse' } = useRoute().params;
  const tabs = [
    { id: 'browse', label: text.browse, content: part === 'browse' ? <Browse /> : undefined },
    { id: 'installed', label: text.installed, content: part === 'installed' ? <Installed /> : undefined },
    { id: 'publish', label: text.publish, content: part === 'publish' ? <Publish /> : undefined },
    ...(isAdmin ? [{ id: 'reviews', label: text.reviews, content: part === 'reviews' ? <Reviews /> : undefined }] : []),
  ];
  return (
    <Page title={text.title} text={text.about}>
      <Tabs
        label={text.title}
        tabs={tabs}
        value={part}
        onChange={(next) => go(next === 'browse' ? '/marketplace' : `/marketplace/${next}`)}
      />
    </Page>
  );
}

export default definePage({
  views: {
    '/marketplace': Marketplace,
    '/marketplace/:part': Marketplace,
    '/marketplace/extensions/:id': ExtensionPage,
    '/marketplace/extensions/:id/settings': PluginSettingsPage,
    '/marketplace/reviews/:id/:version': ReviewPage,
  },
});
