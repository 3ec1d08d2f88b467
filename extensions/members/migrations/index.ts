import { members } from './0001-members.js';
import { credentials } from './0002-credentials.js';
import { keys } from './0003-keys.js';
import { marks } from './0004-marks.js';
import { plugins } from './0005-plugins.js';
import { names } from './0006-names.js';
import { settings } from './0007-settings.js';
import { places } from './0008-places.js';
import { active } from './0009-active.js';
import { pluginIndex } from './0010-plugin-index.js';
import { refreshTokens } from './0011-refresh-tokens.js';
import { sessions } from './0012-sessions.js';
import { email } from './0013-email.js';
import { invitations } from './0014-invitations.js';
import { passwordResets } from './0015-password-resets.js';
import { deviceCodes } from './0016-device-codes.js';

/** All migrations, in order. */
export const migrations = [
  members,
  credentials,
  keys,
  marks,
  plugins,
  names,
  settings,
  places,
  active,
  pluginIndex,
  refreshTokens,
  sessions,
  email,
  invitations,
  passwordResets,
  deviceCodes,
];
