import {
  addressOf,
  Badge,
  Button,
  Checkbox,
  CopyButton,
  confirm,
  Dialog,
  Failed,
  IconButton,
  List,
  ListItem,
  Note,
  operations,
  Section,
  TextField,
  Time,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import { ComboBox } from '@platform/kit/forms';
import { useState } from 'react';
import type { CreatedInvitation, Invitation } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** The part of conversations that this page uses, if they are there. */
interface RoomsApi {
  'sessions.list': { input: { target_type: string; limit: number }; answer: { id: string; title: string }[] };
}

const rooms = operations<RoomsApi>();
const max_rooms = 200;

/** Shows the invitations that nobody has accepted yet; nothing while there are none. */
export function OpenInvitations() {
  const text = useTexts(catalogue);
  const { data, error, again } = api.useRead('invitations.list', {}, { on: ['member.*'] });
  const remove = api.useWrite('invitations.delete', { reads: ['invitations.list'], done: text.invitationWithdrawn });
  const withdraw = async ({ id }: Invitation) => {
    if (await confirm({ title: text.withdraw, text: text.withdrawHelp, confirm: text.withdrawShort, danger: true }))
      await remove.run({ id });
  };
  if (error && !data) return <Failed error={error} again={again} />;
  if (!data || data.length === 0) return undefined;
  return (
    <Section title={text.openInvitations} text={text.openInvitationsHelp}>
      <List label={text.openInvitations} hasLines>
        {data.map((invitation) => (
          <ListItem
            key={invitation.id}
            id={invitation.id}
            onOpen={() => void withdraw(invitation)}
            title={invitation.email ?? text.withoutAddress}
            text={text.until(invitation.expires_at.slice(0, 10))}
            end={
              <>
                {invitation.role === 'admin' ? <Badge>{text.admin}</Badge> : undefined}
                <Time iso={invitation.created_at} />
              </>
            }
            actions={<IconButton isSmall icon="delete" label={text.withdrawShort} onClick={() => void withdraw(invitation)} />}
          />
        ))}
      </List>
    </Section>
  );
}

/** Asks whom to invite, and shows the link once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const text = useTexts(catalogue);
  const [email, setEmail] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const [room_ids, setRooms] = useState<string[]>([]);
  const [made, setMade] = useState<CreatedInvitation>();
  const known = rooms.useRead('sessions.list', { target_type: 'room', limit: max_rooms });
  const create = api.useWrite('invitations.create', { reads: ['invitations.list'] });
  useUnsaved(email !== '' || room_ids.length > 0 || made !== undefined);
  const { error } = create;
  const send = async () => {
    const address = email.trim();
    const input = { role: isAdmin ? ('admin' as const) : ('member' as const), room_ids, ...(address !== '' && { email: address }) };
    setMade(await create.run(input));
  };
  if (made) return <Invited invitation={made} onClose={onClose} />;
  return (
    <Dialog
      title={text.invite}
      isOpen
      isFirm
      onClose={onClose}
      onSubmit={() => void send()}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isRunning}>
            {text.invite}
          </Button>
        </>
      }
    >
      {error ? <Failed error={error} /> : undefined}
      <p>{text.inviteHelp}</p>
      <TextField
        label={text.email}
        help={text.inviteEmailHelp}
        type="email"
        isOptional
        value={email}
        onChange={setEmail}
        maxLength={254}
        autoComplete="off"
      />
      {known.data && known.data.length > 0 ? (
        <ComboBox
          multi
          label={text.rooms}
          help={text.roomsHelp}
          options={known.data.map(({ id, title }) => ({ id, label: title }))}
          value={room_ids}
          onChange={setRooms}
        />
      ) : undefined}
      <Checkbox label={text.isAdmin} help={text.isAdminHelp} checked={isAdmin} onChange={setAdmin} />
    </Dialog>
  );
}

function Invited({ invitation: { email, token, mailed, mail_error }, onClose }: { invitation: CreatedInvitation; onClose: () => void }) {
  const text = useTexts(catalogue);
  // As this browser reaches the platform: the server may not know its own address.
  const link = addressOf(`/invitation/${token}`);
  return (
    <Dialog
      title={text.invited}
      isOpen
      isFirm
      size="large"
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {text.done}
        </Button>
      }
    >
      {mailed && email !== null ? <Note kind="info">{text.mailedTo(email)}</Note> : undefined}
      {mail_error === null ? undefined : <Note kind="warn">{text.notMailed(mail_error)}</Note>}
      <Note kind="warn">{text.linkOnce}</Note>
      <TextField label={text.link} value={link} onChange={() => undefined} readOnly end={<CopyButton text={link} />} />
    </Dialog>
  );
}
