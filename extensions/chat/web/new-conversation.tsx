import { AgentMark, Avatar, Failed, Go, Icon, outbox, useGo, useMember, useTexts } from '@platform/kit';
import { useState } from 'react';
import type { ChatApi } from '../contract.js';
import { api } from './api.js';
import { Composer, type Written } from './composer.js';
import { NothingYet } from './message-list.js';
import { PendingMessages } from './pending-messages.js';
import { texts } from './texts.js';
import { sendInput } from './use-send.js';

const sends = outbox<ChatApi, 'chat.send'>('chat.send');

/** Begins a conversation with an AI employee; it is stored with the first message. */
export function NewConversation({ target_id }: { target_id: string }) {
  const text = useTexts(texts);
  const go = useGo();
  const member = useMember(Number(target_id) || undefined);
  const about = `new ${target_id}`;
  const waiting = sends.useItems(about);
  const [error, setError] = useState<unknown>();
  const name = member?.nickname ?? text.agent;
  const send = (written: Written) => {
    setError(undefined);
    sends.send({ target_type: 'ai', target_id, ...sendInput(written) }, { about }).then((sent) => {
      if (!sent) return;
      api.again('sessions.list');
      go(`/chat/${sent.session_id}`, { replace: true });
    }, setError);
  };
  return (
    <div className="chat-conversation">
      <section className="chat-main" aria-label={text.create.title}>
        <header className="chat-head">
          <Go to="/chat" className="kit-button kit-button-quiet kit-button-icon chat-back" aria-label={text.conversation.back}>
            <Icon name="back" />
          </Go>
          <Avatar member_id={Number(target_id) || undefined} isVirtual />
          <div className="chat-head-text">
            <h1>
              {name} <AgentMark />
            </h1>
          </div>
        </header>
        <div className="chat-list-state">
          <NothingYet title={text.create.ask(name)} hint={text.list.emptyHint.ai} />
          {error !== undefined && <Failed error={error} />}
        </div>
        <PendingMessages items={waiting} />
        <Composer
          draft={about}
          session_id={undefined}
          label={text.composer.label(name)}
          mayJoin={false}
          onSend={send}
          onEditLast={() => false}
          onStop={undefined}
        />
      </section>
    </div>
  );
}
