import type { Context } from '../../../kernel/contract/index.js';
import type { MembersService } from '../../members/contract.js';
import type { Agents } from '../contract.js';
import { Completions, type CompletionsOptions } from './completions.js';
import { completionsDoor, modelDoor, modelsDoor } from './doors.js';
import { EmployeeModels } from './models.js';

/** Opens the doors for OpenAI's clients. */
export function openOpenAi(ctx: Context<Agents>, members: MembersService, work: Omit<CompletionsOptions, 'models' | 'clock'>): void {
  const models = new EmployeeModels(members);
  const completions = new Completions({ ...work, clock: ctx.clock, models });
  ctx.door(modelsDoor, async () => Response.json(await models.list()));
  ctx.door(modelDoor, async (_request, { params }) => Response.json(await models.get(params.id ?? '')));
  ctx.door(completionsDoor, (request, call) => completions.answer(request, call));
}
