import type { Page } from 'playwright-core';
import { until } from '../../helpers/eventually.js';
import { beRefused, type Ids, type Office, plugin, skill } from './world.js';

export type Role = 'admin' | 'member' | 'newcomer';

/** A view as a person sees it. */
export interface View {
  /** Unique; names its pictures. */
  name: string;
  as: Role;
  /** Pattern of the page's module that it shows; undefined for what the shell shows. */
  pattern?: string;
  /** Address; undefined for a view that there is none of without a node. */
  path: (ids: Ids) => string | undefined;
  /** Its first heading, in English and Chinese. */
  heading: readonly [en: string | RegExp, zh: string | RegExp];
  /** Does what opens the view once its page is there. */
  act?: (page: Page, office: Office) => Promise<unknown>;
  /** Selector of what is drawn last. */
  ready?: string;
}

/** Presses a button of the page. */
const press = (selector: string) => (page: Page) => page.locator(selector).first().click();

const onNode =
  (part = '') =>
  ({ node }: Ids) =>
    node === undefined ? undefined : `/nodes/${node}${part}`;

const home: readonly View[] = [
  {
    name: 'home',
    as: 'admin',
    pattern: '/',
    path: () => '/',
    heading: ['Hello, admin', '您好，admin'],
    ready: 'section:nth-of-type(4) .kit-row',
  },
  { name: 'home-empty', as: 'newcomer', path: () => '/', heading: ['Hello, Noor Haddad', '您好，Noor Haddad'], ready: '.kit-empty' },
  {
    name: 'notifications',
    as: 'admin',
    pattern: '/notifications',
    path: () => '/notifications',
    heading: ['Notifications', '通知'],
    ready: '.kit-row',
  },
  { name: 'notifications-empty', as: 'newcomer', path: () => '/notifications', heading: ['Notifications', '通知'], ready: '.kit-empty' },
  {
    name: 'notifications-settings',
    as: 'admin',
    pattern: '/notifications/settings',
    path: () => '/notifications/settings',
    heading: ['How notifications reach you', '通知如何送达'],
    ready: '.notifications-channel',
  },
];

const chat: readonly View[] = [
  { name: 'chat-list', as: 'admin', pattern: '/chat', path: () => '/chat', heading: ['Chat', '聊天'], ready: '.chat-group .kit-row' },
  { name: 'chat-empty', as: 'newcomer', path: () => '/chat', heading: ['Chat', '聊天'], ready: '.kit-empty' },
  {
    name: 'chat-talk',
    as: 'admin',
    pattern: '/chat/:session_id',
    path: ({ talk }) => `/chat/${talk}`,
    heading: ['Chat', '聊天'],
    ready: '.hljs-keyword',
  },
  { name: 'chat-room', as: 'member', path: ({ room }) => `/chat/${room}`, heading: ['Chat', '聊天'], ready: 'article' },
  {
    name: 'chat-message',
    as: 'admin',
    pattern: '/chat/:session_id/:message_id',
    path: ({ room, message }) => `/chat/${room}/${message}`,
    heading: ['Chat', '聊天'],
    ready: 'article',
  },
  {
    name: 'chat-thread',
    as: 'admin',
    path: ({ room, message }) => `/chat/${room}?thread=${message}`,
    heading: ['Chat', '聊天'],
    ready: '.chat-panel article',
  },
  {
    name: 'chat-details',
    as: 'admin',
    path: ({ room }) => `/chat/${room}?panel=details`,
    heading: ['Chat', '聊天'],
    ready: '.chat-panel form',
  },
  {
    name: 'chat-with',
    as: 'member',
    pattern: '/chat/with/:member_id',
    path: ({ otto }) => `/chat/with/${otto}`,
    heading: ['Chat', '聊天'],
    ready: '.chat-composer',
  },
  {
    name: 'chat-search',
    as: 'member',
    path: () => '/chat',
    heading: ['Chat', '聊天'],
    act: (page) => page.locator('.chat-search input').fill('launch'),
    ready: '.chat-found mark',
  },
  {
    name: 'chat-new-room',
    as: 'newcomer',
    path: () => '/chat',
    heading: ['New room', '新建群组'],
    act: async (page) => {
      await page.locator('.chat-side-head [aria-haspopup]').click();
      await page.getByRole('menuitem').nth(1).click();
    },
    ready: '[role=dialog] form',
  },
];

const employees: readonly View[] = [
  { name: 'approvals', as: 'admin', pattern: '/approvals', path: () => '/approvals', heading: ['Approvals', '审批'], ready: '.kit-facts' },
  {
    name: 'approval',
    as: 'admin',
    pattern: '/approvals/:id',
    path: ({ approval }) => `/approvals/${approval}`,
    heading: ['Approvals', '审批'],
    ready: '.kit-facts',
  },
  {
    name: 'employees',
    as: 'admin',
    pattern: '/employees',
    path: () => '/employees',
    heading: ['AI employees', 'AI 员工'],
    ready: '.kit-table',
  },
  {
    name: 'employees-new',
    as: 'admin',
    path: () => '/employees',
    heading: ['New AI employee', '新建 AI 员工'],
    act: press('.kit-page-head .kit-button-primary'),
    ready: '[role=dialog] [role=radiogroup]',
  },
  {
    name: 'employees-usage',
    as: 'admin',
    pattern: '/employees/usage',
    path: () => '/employees/usage',
    heading: ['Usage', '用量'],
    ready: '.u-legend',
  },
  {
    name: 'employee',
    as: 'admin',
    pattern: '/employees/:member_id',
    path: ({ otto }) => `/employees/${otto}`,
    heading: ['Otto', 'Otto'],
    ready: '.u-legend',
  },
  { name: 'employee-as-member', as: 'member', path: ({ otto }) => `/employees/${otto}`, heading: ['Otto', 'Otto'], ready: '.kit-facts' },
  {
    name: 'employee-edit',
    as: 'admin',
    pattern: '/employees/:member_id/edit',
    path: ({ otto }) => `/employees/${otto}/edit`,
    heading: ['Change Otto', '更改 Otto'],
    ready: '.agents-limits',
  },
];

const market = (name: string, as: Role, part: string, more: Partial<View> = {}): View => ({
  name,
  as,
  path: () => `/marketplace${part}`,
  heading: ['Marketplace', '市场'],
  ...more,
});

const marketplace: readonly View[] = [
  market('marketplace', 'member', '', { pattern: '/marketplace', ready: '.kit-row' }),
  market('marketplace-installed', 'admin', '/installed', { pattern: '/marketplace/:part', ready: '.kit-table' }),
  market('marketplace-publish', 'member', '/publish', { ready: '[role=radiogroup]' }),
  market('marketplace-reviews', 'admin', '/reviews', { ready: '.kit-table' }),
  market('marketplace-extension', 'admin', `/extensions/${plugin}`, {
    pattern: '/marketplace/extensions/:id',
    heading: ['Inbound webhooks', 'Inbound webhooks'],
    ready: '.kit-markdown',
  }),
  market('marketplace-settings', 'admin', `/extensions/${plugin}/settings`, {
    pattern: '/marketplace/extensions/:id/settings',
    heading: ['Inbound webhooks', 'Inbound webhooks'],
    ready: 'form',
  }),
  market('marketplace-review', 'admin', `/reviews/${skill}/1.0.0`, {
    pattern: '/marketplace/reviews/:id/:version',
    heading: [/ 1\.0\.0$/, / 1\.0\.0$/],
    ready: '.kit-facts',
  }),
];

const members: readonly View[] = [
  { name: 'people', as: 'member', pattern: '/people', path: () => '/people', heading: ['People', '成员'], ready: '.kit-row' },
  { name: 'members', as: 'admin', pattern: '/members', path: () => '/members', heading: ['Members', '成员管理'], ready: '.kit-row' },
  {
    name: 'members-new',
    as: 'admin',
    path: () => '/members',
    heading: ['Add a member', '添加成员'],
    act: press('.kit-page-head button:not(.kit-button-primary)'),
    ready: '[role=dialog] form',
  },
  {
    name: 'members-invite',
    as: 'admin',
    path: () => '/members',
    heading: ['Invite', '邀请'],
    act: press('.kit-page-head .kit-button-primary'),
    ready: '[role=dialog] form',
  },
  {
    name: 'member',
    as: 'admin',
    pattern: '/members/:id',
    path: ({ mara }) => `/members/${mara}`,
    heading: ['Mara Lindqvist', 'Mara Lindqvist'],
    ready: 'form',
  },
  {
    name: 'device',
    as: 'member',
    pattern: '/device',
    path: () => '/device',
    heading: ['Log in a program', '登录程序'],
    ready: 'main form',
  },
  { name: 'me', as: 'admin', pattern: '/me', path: () => '/me', heading: ['Me', '我'], ready: 'section:last-of-type .kit-row' },
  {
    name: 'me-token',
    as: 'member',
    path: () => '/me',
    heading: ['New token', '新建令牌'],
    act: press('section:last-of-type .kit-section-head button'),
    ready: '[role=dialog] form',
  },
];

const nodes: readonly View[] = [
  { name: 'nodes', as: 'admin', pattern: '/nodes', path: () => '/nodes', heading: ['Nodes', '节点'], ready: '.kit-table, .kit-empty' },
  {
    name: 'nodes-new',
    as: 'admin',
    pattern: '/nodes/new',
    path: () => '/nodes/new',
    heading: ['Add a node', '添加节点'],
    act: (page) => page.locator('.kit-radio').nth(2).click(),
    ready: 'textarea',
  },
  { name: 'node', as: 'admin', pattern: '/nodes/:id', path: onNode(), heading: ['build-1', 'build-1'], ready: '.u-legend' },
  {
    name: 'node-terminal',
    as: 'admin',
    pattern: '/nodes/:id/:part',
    path: onNode('/terminal'),
    heading: ['build-1', 'build-1'],
    ready: 'iframe',
  },
  { name: 'node-logs', as: 'admin', path: onNode('/logs'), heading: ['build-1', 'build-1'], ready: '.nodes-logs li' },
  { name: 'node-files', as: 'admin', path: onNode('/files'), heading: ['build-1', 'build-1'], ready: '.kit-card' },
];

const schedules: readonly View[] = [
  {
    name: 'schedules',
    as: 'admin',
    pattern: '/schedules',
    path: () => '/schedules',
    heading: ['Schedules', '定时任务'],
    ready: '.kit-table',
  },
  {
    name: 'schedules-new',
    as: 'admin',
    pattern: '/schedules/new',
    path: () => '/schedules/new',
    heading: ['New schedule', '新建定时任务'],
    ready: '.schedules-times',
  },
  {
    name: 'schedule',
    as: 'admin',
    pattern: '/schedules/:id',
    path: ({ schedule }) => `/schedules/${schedule}`,
    heading: ['Nightly backup', 'Nightly backup'],
    ready: '.kit-table',
  },
  {
    name: 'schedule-run',
    as: 'admin',
    path: ({ schedule }) => `/schedules/${schedule}`,
    heading: ['Run', '运行'],
    act: press('.kit-table-row'),
    ready: '[role=dialog] .kit-facts',
  },
  {
    name: 'schedule-edit',
    as: 'admin',
    pattern: '/schedules/:id/edit',
    path: ({ schedule }) => `/schedules/${schedule}/edit`,
    heading: ['Change Nightly backup', '更改 Nightly backup'],
    ready: '.schedules-times',
  },
];

const platform = (part: string, more: Partial<View> = {}): View => ({
  name: `platform-${part}`,
  as: 'admin',
  path: () => `/platform/${part}`,
  heading: ['Platform', '平台'],
  ready: '.kit-table',
  ...more,
});

/** Makes the server log something until the page has got a line. */
const log = (page: Page, { app }: Office) =>
  until(async () => {
    await beRefused(app);
    await page.waitForTimeout(100);
    return page.locator('.system-line').count();
  }, Boolean);

const system: readonly View[] = [
  platform('health', { pattern: '/platform', path: () => '/platform', ready: '.kit-facts' }),
  platform('settings', { pattern: '/platform/:part' }),
  platform('audit'),
  platform('backups'),
  platform('journal', { act: log, ready: '.system-line' }),
];

const shell: readonly View[] = [
  {
    name: 'palette',
    as: 'member',
    path: () => '/people',
    heading: ['People', '成员'],
    act: (page) => page.keyboard.press('Control+k'),
    ready: 'dialog [role=option]',
  },
  {
    name: 'keys',
    as: 'member',
    path: () => '/chat',
    heading: ['Keyboard shortcuts', '键盘快捷键'],
    act: (page) => page.keyboard.press('?'),
    ready: '[role=dialog] kbd',
  },
  { name: 'no-page', as: 'member', path: () => '/no/such/page', heading: ['There is no such page', '没有这个页面'] },
  { name: 'plugin-page', as: 'member', path: () => `/plugins/${plugin}/Hooks`, heading: ['Hooks', 'Hooks'], ready: '.kit-empty' },
];

/** All views; a test compares them with the modules of the pages. */
export const views: readonly View[] = [
  ...home,
  ...chat,
  ...employees,
  ...marketplace,
  ...members,
  ...nodes,
  ...schedules,
  ...system,
  ...shell,
];
