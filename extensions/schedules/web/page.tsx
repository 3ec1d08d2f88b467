import { definePage } from '@platform/kit';
import { ScheduleDetail } from './detail.js';
import { EditSchedule, NewSchedulePage } from './form.js';
import { Schedules } from './schedules.js';
import './page.css';

export default definePage({
  views: {
    '/schedules': Schedules,
    '/schedules/new': NewSchedulePage,
    '/schedules/:id': ScheduleDetail,
    '/schedules/:id/edit': EditSchedule,
  },
});
