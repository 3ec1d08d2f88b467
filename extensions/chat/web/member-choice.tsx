import { Avatar, useTexts } from '@platform/kit';
import { ComboBox } from '@platform/kit/forms';
import { useEffect, useState } from 'react';
import { api } from './api.js';
import { texts } from './texts.js';

const wait_ms = 200;
const max_found = 20;

interface MemberChoiceProps {
  label: string;
  help?: string;
  value: readonly number[];
  onChange: (value: readonly number[]) => void;
  /** Members who can't be chosen. */
  except?: readonly number[];
}

/** Chooses people and AI employees by typing a part of their names. */
export function MemberChoice({ label, help, value, onChange, except = [] }: MemberChoiceProps) {
  const text = useTexts(texts);
  const [typed, setTyped] = useState('');
  const [keyword, setKeyword] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setKeyword(typed.trim()), wait_ms);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data } = api.useRead('contacts.list', { limit: max_found, offset: 0, ...(keyword === '' ? {} : { keyword }) }, { keep: true });
  const options = (data ?? [])
    .filter(({ member_id }) => !except.includes(member_id))
    .map(({ member_id, nickname, username, is_virtual, post }) => ({
      id: member_id,
      label: nickname,
      detail: is_virtual ? post || text.agent : `@${username}`,
      start: <Avatar member_id={member_id} name={nickname} isVirtual={is_virtual} size="small" />,
    }));
  return <ComboBox multi label={label} help={help} options={options} value={value} onChange={onChange} onSearch={setTyped} />;
}
