import type { Texts } from '../../kit/data/texts.js';

/** Texts of what links show to somebody who has no login yet. */
const en = {
  invitation: 'Invitation',
  invites: (name: string) => `${name} invites you`,
  choose: 'Choose the name and the password that you will log in with.',
  chooseAsAdmin: 'You will be an administrator. Choose the name and the password that you will log in with.',
  username: 'User name',
  usernameHelp: '2 to 64 letters, digits, dots, dashes and underscores. It stays for ever.',
  nickname: 'Your name',
  nicknameHelp: 'As others see it. Optional.',
  password: 'Password',
  passwordHelp: 'At least 8 characters',
  join: 'Join',
  joining: 'Joining…',
  toLogIn: 'To the log-in',
  newPassword: 'A new password',
  newPasswordText: 'You are logged out everywhere else.',
  setPassword: 'Set the password',
  forgotText: 'We mail you a link by which you choose one.',
  nameOrAddress: 'User name or e-mail address',
  mailLink: 'Mail the link',
  lookInMail: 'Look into your mail',
  lookInMailText:
    'If there is such an account with an e-mail address, a link is on its way. It works once, for 30 minutes. Otherwise ask an administrator.',
  failures: {
    invitation_not_found:
      'This invitation can’t be used. It was used already, was withdrawn, or is older than seven days. Ask for a new one.',
    reset_not_found: 'This link can’t be used. It was used already, or is older than 30 minutes. Ask for a new one at the log-in.',
    username_taken: 'Somebody has this user name already. Choose another one.',
    seat_limit_reached: 'All seats are taken. Ask the person who invited you to make room.',
    rate_limited: 'Too many attempts. Wait a moment, then try again.',
    unreachable: 'The server can’t be reached. Check your connection, then try again.',
    other: 'That did not work.',
  },
};

const zh = {
  invitation: '邀请',
  invites: (name) => `${name} 邀请您加入`,
  choose: '请设置用于登录的用户名和密码。',
  chooseAsAdmin: '您将成为管理员。请设置用于登录的用户名和密码。',
  username: '用户名',
  usernameHelp: '2 到 64 个字母、数字、点、短横线或下划线。设定后不能更改。',
  nickname: '您的名字',
  nicknameHelp: '其他人看到的名字，可不填。',
  password: '密码',
  passwordHelp: '至少 8 个字符',
  join: '加入',
  joining: '正在加入…',
  toLogIn: '前往登录',
  newPassword: '新密码',
  newPasswordText: '您会在其他所有地方退出登录。',
  setPassword: '设置密码',
  forgotText: '我们会向您发送一个链接，用于设置新密码。',
  nameOrAddress: '用户名或邮箱',
  mailLink: '发送链接',
  lookInMail: '请查看邮箱',
  lookInMailText: '如果存在这样的账户并填写了邮箱，链接已发出。链接只能使用一次，30 分钟内有效。否则请联系管理员。',
  failures: {
    invitation_not_found: '此邀请无法使用：已被使用、已被撤回，或已超过七天。请索取新的邀请。',
    reset_not_found: '此链接无法使用：已被使用，或已超过 30 分钟。请在登录页重新申请。',
    username_taken: '该用户名已被使用，请换一个。',
    seat_limit_reached: '席位已满，请联系邀请您的人。',
    rate_limited: '尝试次数过多，请稍后再试。',
    unreachable: '无法连接服务器，请检查网络后重试。',
    other: '操作未成功。',
  },
} satisfies Texts<typeof en>;

export const visitorTexts = { en, 'zh-CN': zh };
