import { useState } from 'react';
import {
  Avatar,
  Badge,
  Button,
  Count,
  Dialog,
  IconButton,
  Keys,
  LinkButton,
  MemberName,
  Menu,
  Popover,
  Progress,
  Section,
  Time,
} from '../kit/index.js';

const nothing = () => undefined;

/** Buttons, menus, dialogs, avatars and marks. */
export function Controls() {
  return (
    <>
      <Buttons />
      <Openings />
      <Members />
      <States />
    </>
  );
}

function Buttons() {
  return (
    <Section
      title="Buttons"
      actions={<Menu label="More actions" items={[{ id: 'copy', label: 'Copy link', icon: 'link', run: nothing }]} />}
    >
      <div className="kit-actions">
        <Button kind="primary">Create</Button>
        <Button icon="download">Export</Button>
        <Button kind="quiet" icon="filter">
          Filter
        </Button>
        <Button kind="danger">Delete</Button>
        <Button isBusy>Test</Button>
        <Button disabled>Save</Button>
        <Button isSmall>Small</Button>
        <IconButton icon="search" label="Search" />
        <IconButton icon="bell" label="Mute" isPressed />
        <LinkButton to="/chat" icon="message">
          Write
        </LinkButton>
      </div>
    </Section>
  );
}

const kinds = [
  { id: 'local', label: 'On this machine', detail: 'A container beside the platform', icon: 'node', run: nothing },
  { id: 'ssh', label: 'By SSH', icon: 'terminal', keys: 'mod+n', run: nothing },
  null,
  { id: 'delete', label: 'Delete all', icon: 'delete', danger: true, run: nothing },
] as const;

const modes = [
  { id: 'light', label: 'Light', isChosen: false, run: nothing },
  { id: 'dark', label: 'Dark', isChosen: true, run: nothing },
];

function Openings() {
  const [isOpen, setOpen] = useState(false);
  const actions = (
    <>
      <Button onClick={() => setOpen(false)}>Cancel</Button>
      <Button kind="danger">Delete</Button>
    </>
  );
  return (
    <Section title="What opens">
      <div className="kit-actions">
        <Menu label="Add" text="Add node" kind="plain" items={kinds} />
        <Menu label="Theme: system" text={<b>System</b>} items={modes} />
        <Popover label="Filter" text="Filter">
          {(close) => <Button onClick={close}>Apply</Button>}
        </Popover>
        <Button onClick={() => setOpen(true)}>Open dialog</Button>
      </div>
      <Dialog title="Delete node backup-2?" isOpen={isOpen} onClose={() => setOpen(false)} size="small" actions={actions}>
        <p>Its work ends now. Files on the machine stay.</p>
      </Dialog>
    </Section>
  );
}

function Members() {
  return (
    <Section title="Members">
      <div className="kit-actions">
        {[1, 2, 3, 4].map((id) => (
          <span key={id} className="kit-actions">
            <Avatar member_id={id} presence={id !== 4} />
            <MemberName member_id={id} />
          </span>
        ))}
        <Avatar name="Noor Haddad" size="large" />
        <Avatar name="Ledger" isVirtual size="small" />
      </div>
    </Section>
  );
}

function States() {
  return (
    <Section title="States">
      <div className="kit-actions">
        <Badge>Draft</Badge>
        <Badge kind="ok" icon="ok">
          Online
        </Badge>
        <Badge kind="warn">Draining</Badge>
        <Badge kind="danger">Failed</Badge>
        <Badge kind="info">New</Badge>
        <Count n={3} />
        <Count n={120} mention />
        <Keys keys="mod+k" />
        <Time iso="2026-11-27T09:41:00Z" part="exact" />
        <Time iso={new Date(Date.now() - 180_000).toISOString()} ago />
      </div>
      <Progress label="Pulling image" value={0.42} text="12 of 29 MB" />
      <Progress label="Starting" />
    </Section>
  );
}
