import type { Texts } from '../../kit/data/texts.js';

/** Texts of what is shown before anybody is logged in; apart from the others, because they load first. */
const en = {
  title: 'Log in',
  username: 'User name',
  password: 'Password',
  show: 'Show',
  hide: 'Hide',
  showPassword: 'Show the password',
  hidePassword: 'Hide the password',
  submit: 'Log in',
  busy: 'Logging in…',
  language: 'Language',
  starting: 'Loading…',
  unreachable: 'The server can’t be reached',
  retrying: 'This page tries again by itself.',
  again: 'Try again now',
  reload: 'Reload',
  broken: 'This page could not be loaded',
  expired: 'Your session has ended',
  expiredText: 'Log in again to go on. Nothing on the page is lost.',
  other: 'Leave and log in as somebody else',
  failures: {
    invalid_credentials: 'The user name or the password is wrong. An administrator can give you a new password.',
    rate_limited: 'Too many attempts. Wait a moment, then try again.',
    unreachable: 'The server can’t be reached. Check your connection, then try again.',
    origin_refused: 'The server refuses log-ins from this address. Ask whoever runs it to check its base URL.',
    password_login_off: 'Passwords can’t be used to log in here.',
    other: 'Logging in failed.',
  },
};

const zh = {
  title: '登录',
  username: '用户名',
  password: '密码',
  show: '显示',
  hide: '隐藏',
  showPassword: '显示密码',
  hidePassword: '隐藏密码',
  submit: '登录',
  busy: '正在登录…',
  language: '语言',
  starting: '正在加载…',
  unreachable: '无法连接服务器',
  retrying: '页面会自动重试。',
  again: '立即重试',
  reload: '重新加载',
  broken: '无法加载此页面',
  expired: '登录已失效',
  expiredText: '请重新登录以继续，页面上的内容不会丢失。',
  other: '离开并以其他身份登录',
  failures: {
    invalid_credentials: '用户名或密码不正确。如忘记密码，请联系管理员重设。',
    rate_limited: '尝试次数过多，请稍后再试。',
    unreachable: '无法连接服务器，请检查网络后重试。',
    origin_refused: '服务器拒绝从此地址登录，请联系管理员检查基础网址设置。',
    password_login_off: '此处不能使用密码登录。',
    other: '登录失败。',
  },
} satisfies Texts<typeof en>;

export const logInTexts = { en, 'zh-CN': zh };
