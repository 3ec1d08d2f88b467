import { useEffect } from 'react';
import type { Session } from '../kit/data/session.js';
import { useTexts } from '../kit/data/texts.js';
import { Invitation } from './invitation.js';
import { Languages } from './languages.js';
import { ResetPassword } from './reset-password.js';
import { visitorTexts } from './texts/visitor.js';
import type { VisitorLink } from './visitor-link.js';

interface VisitorProps {
  session: Session;
  link: VisitorLink;
  /** Leaves the link's address. */
  leave: () => void;
}

/** Shows what a link offers to somebody who need not be logged in. */
export default function Visitor({ session, link: { kind, token }, leave }: VisitorProps) {
  const text = useTexts(visitorTexts);
  useEffect(() => {
    document.title = kind === 'invitation' ? text.invitation : text.newPassword;
  }, [text, kind]);
  return (
    <main className="shell-log-in">
      <div className="shell-log-in-box">
        {kind === 'invitation' ? (
          <Invitation session={session} token={token} leave={leave} />
        ) : (
          <ResetPassword session={session} token={token} leave={leave} />
        )}
      </div>
      <Languages />
    </main>
  );
}
