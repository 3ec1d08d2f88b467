import { definePage, mayAdminister, useGo, useMe } from '@platform/kit';
import { useEffect } from 'react';
import { Approvals } from './approvals.js';
import { EditEmployee } from './edit.js';
import { Employees } from './employees.js';
import { Profile } from './profile.js';
import { UsagePage } from './usage.js';
import './page.css';

/** Shows administrators all AI employees. Other members find them among the people. */
function All() {
  const go = useGo();
  const isAdmin = mayAdminister(useMe());
  useEffect(() => {
    if (!isAdmin) go('/people', { replace: true });
  }, [go, isAdmin]);
  return isAdmin ? <Employees /> : undefined;
}

export default definePage({
  views: {
    '/approvals': Approvals,
    '/approvals/:id': Approvals,
    '/employees': All,
    '/employees/usage': UsagePage,
    '/employees/:member_id': Profile,
    '/employees/:member_id/edit': EditEmployee,
  },
});
