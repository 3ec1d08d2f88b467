import { definePage } from '@platform/kit';
import { Account } from './account.js';
import { Device } from './device.js';
import { MemberDetail, Members } from './members.js';
import { People } from './people.js';
import './page.css';

export default definePage({
  views: { '/people': People, '/members': Members, '/members/:id': MemberDetail, '/me': Account, '/device': Device },
});
