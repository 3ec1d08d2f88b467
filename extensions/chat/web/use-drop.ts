import { type DragEvent, useState } from 'react';

/** Takes files that are dropped on an element. */
export function useDrop(take: (files: Iterable<File>) => void) {
  const [isOver, setOver] = useState(false);
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      setOver(false);
      take(event.dataTransfer.files);
    },
  };
  return { isOver, handlers };
}
