import { useInput } from 'ink';
import { useRef, useSyncExternalStore } from 'react';
import { App, type AppProps } from './app.js';
import { KeyQueue } from './key-queue.js';
import { KeyReader } from './key-reader.js';
import type { Size } from './kit/context.js';
import type { Store } from './store.js';

export interface RootProps extends Omit<AppProps, 'size'> {
  window: Store<Size>;
}

/** The dashboard on a terminal: with its size as it changes, and its keys. */
export function Root({ window, ...rest }: RootProps) {
  const size = useSyncExternalStore(window.subscribe, window.get);
  const { keys } = rest.model.dashboard;
  const queue = useRef<KeyQueue>(undefined);
  queue.current ??= new KeyQueue((key) => keys.press(key));
  const reader = useRef<KeyReader>(undefined);
  reader.current ??= new KeyReader();
  useInput((input, key) => queue.current?.add(reader.current?.read(input, key) ?? []));
  return <App {...rest} size={size} />;
}
