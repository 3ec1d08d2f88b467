import { definePage } from '@platform/kit';
import { Channels } from './channels.js';
import { Home } from './home.js';
import { Inbox } from './inbox.js';
import './page.css';

export default definePage({ views: { '/': Home, '/notifications': Inbox, '/notifications/settings': Channels } });
