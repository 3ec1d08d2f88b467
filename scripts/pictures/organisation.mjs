import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { logIn, password } from './server.mjs';

const root = resolve(import.meta.dirname, '..', '..');

const people = [
  { username: 'grace', nickname: 'Grace Lindqvist' },
  { username: 'ben', nickname: 'Ben Okafor' },
  { username: 'li', nickname: 'Li Wei' },
];

const employees = [
  { name: 'Ada', post: 'Orders', instructions: 'You know the orders of Harbour Foods. Answer in a few sentences, with numbers.' },
  { name: 'Otto', post: 'Deliveries', instructions: 'You plan the vans of Harbour Foods.' },
];

/**
 * Fills a new server with Harbour Foods, a small cooperative that delivers groceries: four people, two AI employees, rooms,
 * conversations, a schedule, and a plugin that waits for its review. Returns functions that call the API, by user name, and ids.
 */
export async function makeOrganisation({ url, folder, run }) {
  const mary = await logIn(url, 'mary');
  const me = await mary('GET', '/api/auth/me');
  await mary('PUT', `/api/members/${me.id}`, { nickname: 'Mary Jones' });
  const ids = { mary: me.id };
  for (const person of people) ids[person.username] = (await mary('POST', '/api/members', { ...person, password })).id;
  for (const { instructions, ...employee } of employees) {
    const { id, username } = await mary('POST', '/api/members/virtual', employee);
    ids[username] = id;
    await mary('PUT', `/api/agents/${id}`, { instructions });
  }
  const as = { mary };
  for (const { username } of people) as[username] = await logIn(url, username);
  const rooms = await makeRooms(as, ids);
  await makeSchedules(as);
  await publishPlugin(as, { folder, run });
  return { as, ids, ...rooms };
}

async function makeRooms({ mary, grace, ben, li }, ids) {
  const all = [ids.grace, ids.ben, ids.li, ids.ada, ids.otto];
  const room = (title, member_ids, visibility = 'private') =>
    mary('POST', '/api/chat/sessions', { title, target_type: 'room', member_ids, visibility });
  const deliveries = await room('Deliveries', all);
  const shop = await room('Autumn market', [ids.grace, ids.li], 'open');
  await mary('PUT', `/api/chat/sessions/${deliveries.id}`, { topic: 'Vans, routes, and what is late' });
  const say = (who, session_id, content) => who('POST', '/api/chat/send', { session_id, content });
  await say(ben, deliveries.id, 'Morning. The dairy called: their van is back on the road on Thursday.');
  await say(grace, deliveries.id, 'Thanks. Harbour School asks about order 2052, they need the yoghurt tomorrow.');
  await say(li, shop.id, 'The stall is booked for the 12th, next to the bakery.');
  await say(grace, shop.id, 'Great! @mary can you look at the price list until Friday?');
  return { deliveries: deliveries.id, market: shop.id };
}

async function makeSchedules({ mary }) {
  const schedule = (name, trigger_value, content) =>
    mary('POST', '/api/admin/schedules', {
      ...{ name, trigger_type: 'cron', trigger_value, timezone: 'Europe/London', action: 'chat.send', params: { content } },
    });
  await schedule('Stock list', '30 6 * * 1-6', 'Which products run out within three days?');
  await schedule('Month in numbers', '0 9 1 * *', 'Sum up the orders of the last month in one table.');
}

/** Publishes the example plugin as Ben, so that it waits for its review. */
async function publishPlugin({ ben }, { folder, run }) {
  const file = join(folder, 'webhooks.zip');
  await run(['extension', 'pack', join(root, 'examples', 'acme.webhooks'), '--out', file]);
  const form = new FormData();
  form.append('type', 'plugin');
  form.append('file', new Blob([await readFile(file)]), 'webhooks.zip');
  await ben('POST', '/api/marketplace/publish', form);
}

/** Approves and installs the example plugin, and gives it two hooks with some deliveries. */
export async function installPlugin({ mary }, { url, session_id }) {
  const id = 'acme.webhooks';
  const { items } = await mary('GET', '/api/admin/marketplace/reviews');
  await mary('POST', `/api/admin/marketplace/reviews/${id}/${items[0].version}/approve`, {});
  await mary('POST', '/api/marketplace/install', { id, accept_permissions: true });
  for (const [name, texts] of [
    ['Web shop', ['Order 2061 was paid', 'Order 2062 was paid', 'Order 2058 was cancelled']],
    ['Cold store', ['The door of room 2 was open for 6 minutes']],
  ]) {
    const hook = await mary('POST', `/api/x/${id}/hooks`, { session_id, name });
    for (const text of texts) await deliver(url + hook.path, hook.secret, text);
  }
}

/** Posts a signed delivery to a hook, as another system does. */
async function deliver(address, secret, text) {
  const body = JSON.stringify({ text });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const answer = await fetch(address, { method: 'POST', headers: { 'x-hub-signature-256': `sha256=${signature}` }, body });
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
}
