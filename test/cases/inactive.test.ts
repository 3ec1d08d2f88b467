import t from 'tap';
import type { Schedule } from '../../extensions/schedules/contract.js';
import { until } from '../helpers/eventually.js';
import { adminPassword } from '../helpers/platform.js';
import { Side } from '../operations/side.js';

interface Sent {
  session_id: string;
  task_id: string;
}

t.test('an inactive member keeps its data and name, and nothing else', async (t) => {
  const side = await Side.start(t, 'http', { settings: { 'members.seats': 3 } });
  const login = { username: 'bob', password: adminPassword };
  const { id } = await side.give('auth.me', {}, 'bob');
  await side.give('members.update', { id, role: 'admin' });
  await side.logIn('bob', 'bob');
  const { token } = await side.give<{ token: string }>('tokens.create', { name: 'script' }, 'bob');
  const employee = await side.give('members.create_virtual', { name: 'Careful', mode: 'supervised' });
  const sent = { target_type: 'ai', target_id: String(employee.id), content: '/call members.list {}' };
  const { task_id, session_id } = await side.give<Sent>('chat.send', sent, 'bob');
  const task = () => side.give<{ status: string; reason: string | null }>('tasks.get', { task_id }, 'bob');
  await until(task, ({ status }) => status === 'waiting_approval');
  const plan = { name: 'hourly', trigger_type: 'interval', trigger_value: '1h', action: 'maintenance.cleanup', params: {} };
  const schedule = await side.give<Schedule>('schedules.create', plan, 'bob');

  await t.test('deactivating a member ends its tokens, its logins and its schedules', async (t) => {
    t.match(await side.give('members.update', { id, active: false }), { id, username: 'bob', active: false });
    t.match(await side.ask('auth.me', {}, { asker: 'bob' }), { failure: { code: 'invalid_token' } });
    side.tokens.set('limited', token);
    t.match(await side.ask('auth.me', {}, { asker: 'limited' }), { failure: { code: 'invalid_token' } });
    t.match(await side.ask('auth.login', login, { asker: 'nobody' }), { failure: { code: 'invalid_credentials', status: 401 } });
    const stopped = await side.give<Schedule>('schedules.get', { id: schedule.id });
    t.match(stopped, { enabled: false, next_run_at: null, disabled_reason: 'creator_inactive' });
    t.match(await side.give('audit.list', { operation: 'members.update', limit: 1 }), [{ target: String(id), input: { active: false } }]);
  });

  await t.test('an inactive member occupies no seat, and lists can exclude it', async (t) => {
    t.match(await side.give('members.seats'), { used: 2, limit: 3 });
    t.match(await side.give('members.list', { active: 'false' }), { total: 1, items: [{ username: 'bob', active: false }] });
    const { items } = await side.give<{ items: { username: string }[] }>('members.list', { active: 'true', is_virtual: 'false' });
    t.same(
      items.map(({ username }) => username),
      ['admin', 'ada'],
    );
  });

  await t.test('an inactive member is activated only if a seat is free', async (t) => {
    const other = await side.give('members.create', { username: 'carol', password: adminPassword });
    t.match(await side.ask('members.update', { id, active: true }, { asker: 'admin' }), {
      failure: { code: 'seat_limit_reached', status: 403 },
    });
    t.match(await side.ask('members.create', { username: 'BOB', password: adminPassword }, { asker: 'admin' }), {
      failure: { code: 'username_taken' },
    });
    await side.give('members.delete', { id: other.id });
    t.match(await side.give('members.update', { id, active: true }), { active: true });
    await side.logIn('bob', 'bob');
    t.match(await task(), { status: 'cancelled', reason: 'member_inactive' });
    t.match(await side.give('sessions.get', { session_id }, 'bob'), { id: session_id });
  });

  await t.test('the last active administrator stays active', async (t) => {
    await side.give('members.update', { id, active: false });
    t.match(await side.ask('members.update', { id: 1, active: false }, { asker: 'admin' }), {
      failure: { code: 'last_admin', status: 409 },
    });
    t.match(await side.ask('members.update', { id: 1, role: 'member' }, { asker: 'admin' }), { failure: { code: 'last_admin' } });
    t.match(await side.ask('members.delete', { id: 1 }, { asker: 'admin' }), { failure: { code: 'last_admin' } });
    t.equal((await side.give('members.delete', { id })) ?? 'gone', 'gone', 'an inactive administrator can be deleted');
  });

  await t.test('an inactive AI employee answers nobody', async (t) => {
    await side.give('members.update', { id: employee.id, active: false });
    t.match(await side.ask('chat.send', sent), { failure: { code: 'no_ai_employee', status: 409 } });
    const employees = await side.give<{ id: number }[]>('members.list_virtual');
    t.match(
      employees.find((one) => one.id === employee.id),
      { active: false, status: 'paused' },
    );
    await side.give('members.update', { id: employee.id, active: true });
    t.match(await side.give('chat.send', sent, 'ada'), { task_id: /./ });
  });
});
