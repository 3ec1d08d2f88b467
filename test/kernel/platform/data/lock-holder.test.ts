import t from 'tap';
import { deviceName } from '../../../../kernel/platform/data/lock-holder.js';

t.test('a device is named as in /proc/locks, also with large minor numbers', async (t) => {
  t.strictSame([0xfe00, 0x1b, 0x4000d2, 0x10000305].map(deviceName), ['fe:00', '00:1b', '00:4d2', '03:10005']);
});
