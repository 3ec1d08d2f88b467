import { Undelivered } from './channel.js';

/** What nodemailer throws, as far as it tells what happened. */
interface MailError extends Error {
  code?: string;
  /** Of the system error beneath. */
  originalCode?: string;
  /** The server's, 4xx for now and 5xx for good. */
  responseCode?: number;
  command?: string;
}

const certificates = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_(?:GET|VERIFY)/;

/** Why a mail was not sent. The server's own words are left out: they may repeat what was sent to it. */
export function mailFailure(thrown: unknown): Undelivered {
  const error = thrown as MailError;
  const status = error.responseCode === undefined ? '' : ` (SMTP ${error.responseCode})`;
  // A server that is full or greylists answers 4xx (RFC 5321, section 4.2.1).
  const retry = error.responseCode === undefined || error.responseCode < 500;
  if (error.responseCode === 530)
    return failure('The mail server wants a user name: an administrator has to set PLATFORM_SMTP_USER', false);
  switch (error.code) {
    case 'EABORT':
    case 'ETIMEDOUT':
      return failure('The mail server did not answer in time, or the delivery was stopped', true);
    case 'EAUTH':
      return failure(
        `The mail server did not let the platform log in${status}: an administrator has to check PLATFORM_SMTP_USER`,
        retry && status !== '',
      );
    case 'ETLS':
      return failure(
        `No encrypted connection to the mail server could be made${status}: an administrator has to check PLATFORM_SMTP_SECURE`,
        false,
      );
    case 'EENVELOPE':
      return failure(
        `The mail server refused ${error.command === 'MAIL FROM' ? "the platform's own address" : 'the address'}${status}`,
        retry,
      );
    case 'EMESSAGE':
      return failure(`The mail server refused the message${status}`, retry);
    default:
      if (certificates.test(error.originalCode ?? ''))
        return failure(
          'The certificate of the mail server is not trusted: an administrator has to check it, or set NODE_EXTRA_CA_CERTS',
          false,
        );
      return failure(`The mail server could not be reached, or broke the connection off${status}`, retry);
  }

  function failure(message: string, again: boolean): Undelivered {
    return new Undelivered(message, { retry: again, cause: thrown });
  }
}
