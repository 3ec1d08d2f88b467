import type { Clock, Handlers } from '../../kernel/contract/index.js';
import type { ApprovalDesk } from './approvals/desk.js';
import { type AssignmentParts, assign } from './assignments.js';
import type { AgentsApi } from './contract.js';
import { testModel } from './model/trial.js';
import type { Profiles } from './profiles/profiles.js';
import type { PublicProfiles } from './profiles/public-profile.js';
import type { Reports } from './usage/reports.js';
import type { UsageSummaries } from './usage/summary.js';

interface HandlerParts {
  assignment: AssignmentParts;
  desk: ApprovalDesk;
  profiles: Profiles;
  publicProfiles: PublicProfiles;
  reports: Reports;
  summaries: UsageSummaries;
  web: (allow: readonly string[]) => typeof globalThis.fetch;
  clock: Clock;
}

/** Maps each operation to its function. */
export function handlersOf({
  assignment,
  desk,
  profiles,
  publicProfiles,
  reports,
  summaries,
  web,
  clock,
}: HandlerParts): Handlers<AgentsApi> {
  return {
    'approvals.list': (query, { caller }) => desk.list(query, caller),
    'approvals.get': ({ id }, { caller }) => desk.get(id, caller),
    'approvals.decide': ({ id, ...decision }, { caller }) => desk.decide(id, decision, caller),
    'agents.list': () => profiles.list(),
    'agents.get': ({ member_id }) => profiles.record(member_id),
    'agents.profile': ({ member_id }, { caller, signal }) => publicProfiles.of(member_id, caller, signal),
    'agents.update': ({ member_id, ...change }) => profiles.update(member_id, change),
    'agents.test_model': async (input, { signal }) => testModel(await profiles.tested(input), { web, clock, signal }),
    'agents.usage_summary': (query) => summaries.summary(query),
    'agents.usage': ({ member_id, ...range }) => reports.report(member_id, range),
    'agents.usage_replies': ({ member_id, ...page }) => reports.replies(member_id, page),
    'tasks.run': (input, call) => assign(input, call, assignment),
  };
}
