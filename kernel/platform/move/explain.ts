import { isFailure } from '../../contract/failure.js';
import { codeOf, reasonOf } from '../data/failures.js';
import { failMove } from './codes.js';

/** What a fault of the target means, whether its database or the way to it made it; other failures stay as they are. */
export function explainTarget(thrown: unknown, { copying }: { copying: boolean }): unknown {
  const cause = isFailure(thrown) && thrown.cause !== undefined ? thrown.cause : thrown;
  const [code, reason] = [codeOf(cause), reasonOf(cause)];
  if (/^28/.test(code)) return failMove('move_target_denied', `The PostgreSQL server refuses the login: ${reason}`, { cause, fix: login });
  if (code === '42501')
    return failMove('move_target_denied', `The user may not do that in the database: ${reason}`, { cause, fix: rights });
  if (code === '3D000')
    return failMove('move_target_missing', `There is no such database: ${reason}`, { cause, fix: 'make it with: createdb <name>' });
  if (/^53[12]00$/.test(code))
    return failMove('move_target_full', `The PostgreSQL server has no room left: ${reason}`, { cause, fix: room });
  if (!isFailure(thrown) || thrown.code !== 'database_unavailable') return thrown;
  if (copying) return failMove('move_cut', `The connection to the PostgreSQL server ended in the middle: ${reason}`, { cause, fix: again });
  return failMove('move_target_unreachable', `The PostgreSQL server can't be reached: ${reason}`, {
    cause,
    fix: 'see whether the address is right and that server runs',
  });
}

const login = 'see whether the user and the password are right, and what its pg_hba.conf allows';
const rights = 'let it, with: ALTER DATABASE <name> OWNER TO <user>';
const room = 'make room, and run it again: nothing was kept of it';
const again =
  'run it again: nothing was kept of it, unless the connection was lost while the server confirmed the end; the database is complete then, and refused as not empty';
