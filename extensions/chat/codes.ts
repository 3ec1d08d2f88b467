import { fail as failCore, failures } from '../../kernel/contract/index.js';

/** Failure codes of chat, with their statuses. */
export const codes = {
  session_not_found: 404,
  message_not_found: 404,
  not_your_message: 403,
  message_deleted: 409,
  too_many_reactions: 409,
  message_in_progress: 409,
  own_message: 409,
  too_many_reports: 429,
  task_not_found: 404,
  image_not_found: 404,
  image_unavailable: 502,
  file_not_found: 404,
  file_empty: 400,
  file_sent: 409,
  no_thumbnail: 404,
  quota_exceeded: 413,
  task_finished: 409,
  session_member_not_found: 404,
  session_busy: 409,
  session_full: 409,
  export_too_large: 413,
  last_owner: 409,
  not_the_asker: 403,
  too_many_tasks: 429,
  no_ai_employee: 409,
  reply_too_long: 502,
  interrupted: 503,
  abort_unconfirmed: 503,
  import_not_local: 403,
} as const;

export const fail = failures(codes);

/** Returns the failure for a value of the input; `path` is its key. */
export function invalidInput(path: string, message: string): Error {
  return failCore('invalid_input', message, { details: [{ path, message }] });
}
