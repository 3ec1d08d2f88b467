import { createRoot } from 'react-dom/client';
import { isDecodable } from '../kit/data/address.js';
import { reflectPreferences } from '../kit/data/preferences.js';
import { Session } from '../kit/data/session.js';
import { Root } from './root.js';

const { documentElement: root } = document;
const prefix = root.dataset.prefix ?? '';

// Somebody may have sent the address: the router would fail on half an escape.
if (!isDecodable(location.pathname)) history.replaceState(null, '', `${prefix}/`);

// Before the first picture, so that it has the right theme and language.
reflectPreferences(root);

const session = new Session({
  prefix,
  restart: () => {
    // Everything that is shown and cached belongs to a member who is no longer here; a new document forgets it for certain.
    if (session.state.get().phase === 'out') location.replace(`${prefix}/`);
    else location.reload();
  },
});

createRoot(document.querySelector('#app') as HTMLElement).render(<Root session={session} prefix={prefix} />);
