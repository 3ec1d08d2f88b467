import type { CSSProperties, ReactNode } from 'react';
import { useMember, usePresence } from '../data/index.js';
import { classes } from './classes.js';
import { hueOf, initialsOf } from './initials.js';
import { useWords } from './words.js';

export interface AvatarProps {
  /** Member whose name and kind are looked up. */
  member_id?: number | null | undefined;
  /** The name, where it is known or nobody's. */
  name?: string | undefined;
  /** Whether it is an AI employee or a plugin, where that is known: a square instead of a circle. */
  isVirtual?: boolean | undefined;
  /** 20, 28 or 40 pixels. Default `medium`. */
  size?: 'small' | 'medium' | 'large' | undefined;
  /** Whether it shows presence; needs `member_id`. */
  presence?: boolean | undefined;
}

/** Shows the initials of a member: people in a circle, AI employees in a square. The name belongs beside it. */
export function Avatar({ member_id, name, isVirtual, size, presence }: AvatarProps) {
  if (typeof member_id !== 'number') return <Initials name={name ?? ''} seed={name ?? ''} isVirtual={isVirtual} size={size} />;
  if (name !== undefined && isVirtual !== undefined && !presence) {
    return <Initials name={name} seed={String(member_id)} isVirtual={isVirtual} size={size} />;
  }
  return <MemberAvatar member_id={member_id} name={name} isVirtual={isVirtual} size={size} presence={presence} />;
}

function MemberAvatar({ member_id, name, isVirtual, size, presence }: AvatarProps & { member_id: number }) {
  const member = useMember(member_id);
  const shown = name ?? member?.nickname ?? '';
  return (
    <Initials name={shown} seed={String(member_id)} isVirtual={isVirtual ?? member?.is_virtual} size={size}>
      {presence && <PresenceDot member_id={member_id} />}
    </Initials>
  );
}

/** Shows presence as a dot whose shape differs too, for those who cannot tell the colours apart. */
export function PresenceDot({ member_id }: { member_id: number }) {
  const state = usePresence(member_id);
  const { presence } = useWords();
  return (
    <span className={`kit-presence kit-presence-${state}`} title={presence[state]}>
      <span className="kit-hidden">{presence[state]}</span>
    </span>
  );
}

interface InitialsProps extends Pick<AvatarProps, 'isVirtual' | 'size'> {
  name: string;
  /** Text that decides the hue. */
  seed: string;
  children?: ReactNode;
}

function Initials({ name, seed, isVirtual, size = 'medium', children }: InitialsProps) {
  const style = { '--kit-hue': hueOf(seed) } as CSSProperties;
  return (
    <span className={classes('kit-avatar', `kit-avatar-${size}`, isVirtual && 'kit-avatar-virtual')} style={style}>
      <span aria-hidden="true">{initialsOf(name, size === 'small' ? 1 : 2)}</span>
      {children}
    </span>
  );
}

export interface MemberNameProps {
  /** `null`: a deleted member. */
  member_id?: number | null | undefined;
  /** The name, where it is known. */
  name?: string | undefined;
  isVirtual?: boolean | undefined;
}

/** Shows the name of a member, with the word that marks an AI employee. */
export function MemberName({ member_id, name, isVirtual }: MemberNameProps) {
  const words = useWords();
  const member = useMember(typeof member_id === 'number' ? member_id : undefined);
  const shown = name ?? member?.nickname ?? (member_id === null ? words.deletedMember : '');
  return (
    <span className="kit-member">
      <bdi>{shown}</bdi>
      {(isVirtual ?? member?.is_virtual) && <AgentMark />}
    </span>
  );
}

/** Shows the word that marks an AI employee. */
export function AgentMark() {
  const { ai } = useWords();
  return <span className="kit-agent-mark">{ai}</span>;
}
