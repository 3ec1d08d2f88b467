import type { Joi } from '../../kernel/contract/index.js';
import * as shape from './shapes.js';

/** Topic of budgets, for administrators, and the type of its frames. */
export const budgets = 'agents.budget';

/** Frames that this extension pushes to sockets. */
export const pushedFrames = (j: Joi) => {
  const approval = j.object({ session_id: shape.uuid(j).required(), approval: shape.approval(j).required() });
  return {
    'approval.required': { description: 'An AI employee waits for the decision of a person.', to: ['members'], data: approval },
    'approval.resolved': { description: 'An approval was decided, or can no longer be.', to: ['members'], data: approval },
    [budgets]: {
      description: 'An AI employee has used 80 % or all of its daily tokens.',
      to: [budgets],
      data: shape.dayBudget(j).keys({
        member_id: shape.memberId(j).required(),
        name: j.string().required(),
        percent: j.number().valid(80, 100).required(),
      }),
    },
  };
};
