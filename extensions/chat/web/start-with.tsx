import { Failed, Loading, useGo, useMember } from '@platform/kit';
import { useCallback, useEffect, useState } from 'react';
import { api } from './api.js';
import { NewConversation } from './new-conversation.js';

/** Begins a conversation with a member: one with an AI employee is stored with its first message, one with a person is opened. */
export function StartWith({ member_id }: { member_id: string }) {
  const member = useMember(Number(member_id) || undefined);
  if (!member) return <Loading lines={8} />;
  return member.is_virtual ? <NewConversation target_id={member_id} /> : <OpenWith member_id={Number(member_id)} />;
}

function OpenWith({ member_id }: { member_id: number }) {
  const go = useGo();
  const [error, setError] = useState<unknown>();
  const open = useCallback(() => {
    setError(undefined);
    api.call('contacts.start', { member_id }).then(({ session_id }) => {
      api.again('sessions.list');
      go(`/chat/${session_id}`, { replace: true });
    }, setError);
  }, [member_id, go]);
  useEffect(open, [open]);
  return <div className="chat-list-state">{error === undefined ? <Loading lines={8} /> : <Failed error={error} again={open} />}</div>;
}
