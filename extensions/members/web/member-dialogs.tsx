import { Button, Checkbox, CopyButton, Dialog, Failed, Note, TextField, useTexts, useUnsaved } from '@platform/kit';
import { useState } from 'react';
import type { Member } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Letters and digits that nobody confuses when they are read aloud or copied by hand. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
const password_length = 16;

/** Returns a random password of 16 characters: about 79 bits. */
function newPassword(): string {
  // 248 is the largest multiple of 31 in a byte: larger bytes would favour the first letters.
  const fair: number[] = [];
  while (fair.length < password_length) fair.push(...[...crypto.getRandomValues(new Uint8Array(32))].filter((byte) => byte < 248));
  return fair
    .slice(0, password_length)
    .map((byte) => letters[byte % letters.length])
    .join('');
}

interface DialogState {
  isOpen: boolean;
  onClose: () => void;
}

/** Asks for a new person's name, and shows the first password to hand over. */
export function NewMemberDialog({ isOpen, onClose }: DialogState) {
  return isOpen ? <NewMember onClose={onClose} /> : undefined;
}

function NewMember({ onClose }: { onClose: () => void }) {
  const text = useTexts(catalogue);
  const [username, setUsername] = useState('');
  const [nickname, setNickname] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const [password] = useState(newPassword);
  const create = api.useWrite('members.create', { reads: ['members.list', 'members.seats'] });
  const { error, isDone } = create;
  useUnsaved(username !== '' || nickname !== '');
  const send = () => {
    const name = nickname.trim();
    void create.run({ username: username.trim(), password, role: isAdmin ? 'admin' : 'member', ...(name !== '' && { nickname: name }) });
  };
  if (isDone) return <Handover title={text.added(username.trim())} username={username.trim()} password={password} onClose={onClose} />;
  return (
    <Dialog
      title={text.add}
      isOpen
      isFirm
      onClose={onClose}
      onSubmit={send}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isRunning} disabled={username.trim() === ''}>
            {text.add}
          </Button>
        </>
      }
    >
      {error ? <Failed error={error} /> : undefined}
      <TextField
        label={text.username}
        help={text.usernameHelp}
        value={username}
        onChange={setUsername}
        pattern="[A-Za-z0-9._\-]{2,64}"
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <TextField label={text.name} isOptional value={nickname} onChange={setNickname} maxLength={64} autoComplete="off" />
      <Checkbox label={text.isAdmin} help={text.isAdminHelp} checked={isAdmin} onChange={setAdmin} />
    </Dialog>
  );
}

/** Sets a new password for somebody who has forgotten theirs. */
export function ResetDialog({ member, isOpen, onClose }: DialogState & { member: Member }) {
  return isOpen ? <Reset member={member} onClose={onClose} /> : undefined;
}

function Reset({ member: { id, nickname, username }, onClose }: { member: Member; onClose: () => void }) {
  const text = useTexts(catalogue);
  const [password] = useState(newPassword);
  const reset = api.useWrite('members.reset_password');
  const { error, isDone } = reset;
  if (isDone) return <Handover title={text.wasReset(nickname)} username={username} password={password} onClose={onClose} />;
  return (
    <Dialog
      title={text.resetOf(nickname)}
      isOpen
      isAlert
      onClose={onClose}
      onSubmit={() => void reset.run({ id, new_password: password })}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="danger" type="submit" isBusy={reset.isRunning}>
            {text.reset}
          </Button>
        </>
      }
    >
      {error ? <Failed error={error} /> : undefined}
      <p>{text.resetHelp}</p>
    </Dialog>
  );
}

/** Shows a password once, to be handed over. */
function Handover({ title, username, password, onClose }: { title: string; username: string; password: string; onClose: () => void }) {
  const text = useTexts(catalogue);
  const address = location.origin + (document.documentElement.dataset.prefix ?? '');
  return (
    <Dialog
      title={title}
      isOpen
      isFirm
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {text.done}
        </Button>
      }
    >
      <Note kind="warn">{text.onlyOnce}</Note>
      <TextField label={text.address} value={address} onChange={() => undefined} readOnly />
      <TextField label={text.username} value={username} onChange={() => undefined} readOnly />
      <TextField label={text.password} value={password} onChange={() => undefined} readOnly end={<CopyButton text={password} />} />
    </Dialog>
  );
}
