interface InvitationMail {
  inviter: string;
  link: string;
}

interface MailText {
  subject: string;
  text: string;
}

/** Returns the mail of an invitation. */
export function invitationMail(language: string | null, { inviter, link }: InvitationMail): MailText {
  return isChinese(language)
    ? {
        subject: `${inviter} 邀请您加入`,
        text: `${inviter} 邀请您加入团队的平台。\n\n请打开以下链接，设置用户名和密码：\n${link}\n\n链接在 7 天内有效，只能使用一次。如果您不认识 ${inviter}，请忽略此邮件。\n`,
      }
    : {
        subject: `${inviter} invites you`,
        text: `${inviter} invites you to the platform of your team.\n\nOpen this link, and choose a user name and a password:\n${link}\n\nThe link works once, for 7 days. If you don't know ${inviter}, ignore this mail.\n`,
      };
}

/** Returns the mail with a link for a forgotten password. */
export function resetMail(language: string | null, { username, link }: { username: string; link: string }): MailText {
  return isChinese(language)
    ? {
        subject: '重设密码',
        text: `有人请求重设用户 ${username} 的密码。\n\n如果是您本人，请打开以下链接并设置新密码：\n${link}\n\n链接在 30 分钟内有效，只能使用一次。如果不是您本人，请忽略此邮件：密码不会改变。\n`,
      }
    : {
        subject: 'A new password',
        text: `Somebody asked for a new password for the user ${username}.\n\nIf it was you, open this link and choose one:\n${link}\n\nThe link works once, for 30 minutes. If it was not you, ignore this mail: the password stays as it is.\n`,
      };
}

function isChinese(language: string | null): boolean {
  return /^zh\b/i.test(language ?? '');
}
