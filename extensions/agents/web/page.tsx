import { definePage } from '@platform/kit';
import { Approvals } from './approvals.js';
import { EditEmployee } from './edit.js';
import { Employees } from './employees.js';
import { Profile } from './profile.js';
import { UsagePage } from './usage.js';
import './page.css';

export default definePage({
  views: {
    '/approvals': Approvals,
    '/approvals/:id': Approvals,
    '/employees': Employees,
    '/employees/usage': UsagePage,
    '/employees/:member_id': Profile,
    '/employees/:member_id/edit': EditEmployee,
  },
});
