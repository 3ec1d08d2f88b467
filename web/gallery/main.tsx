/** A page of all components, to look at and to test: `?part=forms` shows one part, `?theme=dark` a theme. It needs no server. */
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { reflectPreferences } from '../kit/data/preferences.js';
import { KitLocale, Page } from '../kit/index.js';
import { Content } from './content.js';
import { Controls } from './controls.js';
import { Forms } from './forms.js';
import { Layout } from './layout.js';
import { Shell } from './shell.js';
import { standIn } from './stand-in.js';

const parts = { controls: Controls, content: Content, forms: Forms, layout: Layout, shell: Shell } as const;

const wanted = new URLSearchParams(location.search);
reflectPreferences(document.documentElement);
const theme = wanted.get('theme');
if (theme !== null) document.documentElement.dataset.theme = theme;
document.title = 'Components';

const shown = Object.entries(parts).filter(([name]) => wanted.get('part') === null || wanted.get('part') === name);
const client = standIn();
createRoot(document.querySelector('#app') ?? document.body).render(
  <QueryClientProvider client={client}>
    <KitLocale>
      <main>
        <Page title="Components" text="Everything that pages are made of">
          {shown.map(([name, Part]) => (
            <Part key={name} />
          ))}
        </Page>
      </main>
    </KitLocale>
  </QueryClientProvider>,
);
