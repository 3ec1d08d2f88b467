import {
  Avatar,
  Badge,
  Button,
  Empty,
  Failed,
  LinkButton,
  List,
  ListItem,
  Loading,
  Page,
  TextField,
  useKept,
  useMe,
  useTexts,
} from '@platform/kit';
import { useDeferredValue, useState } from 'react';
import type { Member } from '../contract.js';
import { api, on } from './api.js';
import { catalogue } from './texts/index.js';

const page_size = 50;

/** Shows colleagues and AI employees, with who is there. */
export function People() {
  const text = useTexts(catalogue);
  const [keyword, setKeyword] = useKept('members.people.keyword', '');
  const [count, setCount] = useState(page_size);
  const asked = useDeferredValue(keyword.trim());
  const query = { page: 1, page_size: Math.min(count, 200), active: true, ...(asked !== '' && { keyword: asked }) };
  const { data, error, again } = api.useRead('members.list', query, { on, keep: true });
  const virtual = api.useRead('members.list_virtual', {}, { on });
  const posts = new Map(virtual.data?.map(({ id, post }) => [id, post]));
  return (
    <Page title={text.people} narrow>
      <TextField label={text.find} hidesLabel icon="search" placeholder={text.find} type="search" value={keyword} onChange={setKeyword} />
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={8} /> : undefined}
      {data?.items.length === 0 ? <Empty icon="people" title={text.nobody} text={text.nobodyFor(asked)} /> : undefined}
      <List label={text.people}>
        {data?.items.map((member) => (
          <Person key={member.id} member={member} post={posts.get(member.id)} />
        ))}
      </List>
      {data && data.total > count && count < 200 ? (
        <Button kind="quiet" onClick={() => setCount(count + page_size)}>
          {text.more}
        </Button>
      ) : undefined}
      {data && data.total > 200 && count >= 200 ? <p className="members-note">{text.narrowDown(data.total)}</p> : undefined}
    </Page>
  );
}

function Person({ member, post }: { member: Member; post: string | undefined }) {
  const text = useTexts(catalogue);
  const { id: own } = useMe();
  const { id, nickname, username, is_virtual, role } = member;
  const address = is_virtual ? `/employees/${id}` : `/chat/with/${id}`;
  return (
    <ListItem
      id={id}
      to={id === own ? '/me' : address}
      start={<Avatar member_id={id} name={nickname} isVirtual={is_virtual} presence />}
      title={nickname}
      text={[`@${username}`, post].filter(Boolean).join(' · ')}
      end={
        <>
          {id === own ? <Badge>{text.you}</Badge> : undefined}
          {is_virtual ? <Badge>{text.aiEmployee}</Badge> : undefined}
          {role === 'admin' ? <Badge>{text.admin}</Badge> : undefined}
        </>
      }
      actions={
        id === own ? undefined : (
          <LinkButton isSmall kind="quiet" icon="message" to={`/chat/with/${id}`}>
            {text.write}
          </LinkButton>
        )
      }
    />
  );
}
