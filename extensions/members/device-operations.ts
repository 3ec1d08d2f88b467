import type { Joi, Operations } from '../../kernel/contract/index.js';
import type { MembersApi } from './contract.js';
import { logins } from './subjects.js';

type DeviceApi = Pick<MembersApi, 'auth.device' | 'auth.confirm_device'>;

const userCode = (j: Joi) => j.string().max(40).description('As the program shows it, in any case, with or without its dash');

const deviceKeys = (j: Joi) => ({
  name: j.string().required().description('Name of the machine, as the program gave it'),
  address: j.string().allow('').required().description('Network address of the program'),
  created_at: j.string().isoDate().required(),
  expires_at: j.string().isoDate().required(),
});

/** The operations by which members log in programs on other machines. */
export const deviceOperations = {
  'auth.device': {
    summary: 'Shows the program that waits with a code.',
    subject: logins,
    method: 'GET',
    path: '/api/auth/device/codes/{user_code}',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ user_code: userCode(j).required() }),
    answer: (j) => j.object(deviceKeys(j)).label('DeviceLogin'),
    failures: ['device_code_not_found', 'rate_limited'],
    secrets: ['user_code'],
  },
  'auth.confirm_device': {
    summary: 'Logs in the program that waits with a code, as you and with all your rights, or refuses it.',
    subject: logins,
    method: 'POST',
    path: '/api/auth/device/confirm',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ user_code: userCode(j).required(), decision: j.string().valid('approve', 'deny').required() }),
    answer: (j) => j.object({ ...deviceKeys(j), decision: j.string().valid('approve', 'deny').required() }).label('DecidedDeviceLogin'),
    failures: ['device_code_not_found', 'token_limit_reached', 'rate_limited'],
    secrets: ['user_code'],
    audited: true,
  },
} satisfies Operations<DeviceApi>;
