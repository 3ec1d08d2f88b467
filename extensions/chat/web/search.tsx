import { Button, Empty, Failed, Icon, List, ListItem, Loading, TextField, Time, useKept, useTexts } from '@platform/kit';
import { useEffect, useState } from 'react';
import type { FoundMessage, Session } from '../contract.js';
import { api } from './api.js';
import { texts } from './texts.js';

const wait_ms = 250;
const max_found = 50;

/** The field above the list; what is typed finds messages. */
export function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const text = useTexts(texts);
  return (
    <div className="chat-search">
      <TextField
        label={text.search.label}
        hidesLabel
        type="search"
        icon="search"
        placeholder={text.search.label}
        value={value}
        onChange={onChange}
        onKeyDown={({ key }) => key === 'Escape' && onChange('')}
      />
    </div>
  );
}

/** Shows messages that were found, with what matches marked. Each leads to its place in the conversation. */
export function SearchResults({ query, sessions }: { query: string; sessions: readonly Session[] }) {
  const text = useTexts(texts);
  const [within, searchIn] = useKept<string | undefined>('chat.search.in', undefined);
  const [q, setQ] = useState(query.trim());
  useEffect(() => {
    const timer = setTimeout(() => setQ(query.trim()), wait_ms);
    return () => clearTimeout(timer);
  }, [query]);
  const input = { q, limit: max_found, ...(within === undefined ? {} : { session_id: within }) };
  const { data, error, again } = api.useRead('messages.search', input, { keep: true, enabled: q !== '' });
  const titles = new Map(sessions.map(({ id, title }) => [id, title]));
  return (
    <div className="chat-results">
      {within !== undefined && (
        <div className="chat-within">
          <span>{text.search.within(titles.get(within) ?? '')}</span>
          <Button isSmall kind="quiet" onClick={() => searchIn(undefined)}>
            {text.search.everywhere}
          </Button>
        </div>
      )}
      {error && <Failed error={error} again={again} />}
      {!data && !error && <Loading lines={6} />}
      {data?.length === 0 && <Empty icon="search" title={text.search.none} text={text.search.noneHint} />}
      {data && data.length > 0 && (
        <>
          <p className="kit-hidden" role="status">
            {text.search.found(data.length)}
          </p>
          <List label={text.search.results} className="chat-found">
            {data.map((message) => (
              <Found key={message.id} message={message} title={titles.get(message.session_id) ?? ''} />
            ))}
          </List>
        </>
      )}
    </div>
  );
}

function Found({ message, title }: { message: FoundMessage; title: string }) {
  const { id, session_id, sender_name, created_at, highlight, files, thread_id } = message;
  return (
    <ListItem
      id={id}
      to={`/chat/${session_id}/${id}${thread_id === null ? '' : `?thread=${thread_id}`}`}
      title={
        <>
          {sender_name}
          <span className="chat-quiet"> {title}</span>
        </>
      }
      text={
        <>
          {placed(highlight).map(({ start, text, match }) => (match ? <mark key={start}>{text}</mark> : <span key={start}>{text}</span>))}
          {files.length > 0 && <Icon name="attach" size={14} />}
        </>
      }
      end={<Time iso={created_at} part="date" />}
    />
  );
}

/** Returns the pieces with where each begins in the whole. */
function placed(pieces: FoundMessage['highlight']) {
  let end = 0;
  return pieces.map((piece) => {
    const start = end;
    end += piece.text.length;
    return { ...piece, start };
  });
}
