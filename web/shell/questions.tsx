import { useState } from 'react';
import { type OpenQuestion, questions } from '../kit/data/confirm.js';
import { useValue } from '../kit/data/value.js';
import { Button, Dialog, TextField } from '../kit/index.js';
import { useShellTexts } from './texts/index.js';

/** Asks the first of the open questions. */
export function Questions() {
  const [first] = useValue(questions);
  return first ? <Asked key={first.title + (first.text ?? '')} question={first} /> : null;
}

function Asked({ question: { title, text: explanation, confirm, danger, name, answer } }: { question: OpenQuestion }) {
  const text = useShellTexts();
  const [typed, setTyped] = useState('');
  const isMissing = name !== undefined && typed.trim() !== name;
  return (
    <Dialog
      title={title}
      isOpen
      isAlert
      size="small"
      onClose={() => answer(false)}
      onSubmit={() => !isMissing && answer(true)}
      actions={
        <>
          <Button onClick={() => answer(false)}>{text.confirmCancel}</Button>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} disabled={isMissing} autoFocus={name === undefined && !danger}>
            {confirm}
          </Button>
        </>
      }
    >
      {explanation && <p>{explanation}</p>}
      {name !== undefined && <TextField label={text.confirmName(name)} value={typed} onChange={setTyped} autoComplete="off" autoFocus />}
    </Dialog>
  );
}
