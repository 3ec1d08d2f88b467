import { IconButton, useTexts } from '@platform/kit';
import { useRef } from 'react';
import { texts } from './texts.js';

/** A button that opens the browser's choice of files. */
export function FilePicker({ onPick }: { onPick: (files: Iterable<File>) => void }) {
  const text = useTexts(texts);
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="attach" label={text.composer.attach} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          // The list empties with the field.
          onPick([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </>
  );
}
