import t from 'tap';
import { fixOf } from '../../../../../kernel/platform/sandbox/walls/fix.js';

const user = { wall: 'user', holds: false, why: 'unshare: Operation not permitted' } as const;
const limits = { wall: 'limits', holds: false, why: 'this machine has no program prlimit (package util-linux)' } as const;

t.test('the suggested fix matches the reason that prevents walls', async (t) => {
  const reading = (settings: Record<string, string>) => (path: string) => settings[path] ?? '';
  const refusing = reading({ '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1', '/proc/sys/user/max_net_namespaces': '0' });
  t.equal(fixOf([user], refusing), 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 user.max_net_namespaces=15000');
  t.equal(fixOf([limits], reading({})), 'sudo apt-get install util-linux');
  t.equal(
    fixOf([user, limits], reading({ '/proc/sys/kernel/unprivileged_userns_clone': '0' })),
    'sudo apt-get install util-linux && sudo sysctl -w kernel.unprivileged_userns_clone=1',
  );
  const contained = reading({ '/proc/sys/user/max_user_namespaces': '63000', '/proc/sys/kernel/unprivileged_userns_clone': '1' });
  t.match(fixOf([user], contained), /--security-opt seccomp=unconfined.* --cap-add SYS_ADMIN; or .*PLATFORM_PLUGINS_TRUSTED=<id>/);
  t.notMatch(fixOf([{ ...limits, why: 'refused' }], contained), /TRUSTED/, 'trust is not suggested if no required wall is missing');
});
