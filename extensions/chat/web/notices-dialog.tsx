import { Button, chime, Dialog, Note, Switch, useBrowserNotices, useTexts } from '@platform/kit';
import { useState } from 'react';
import { openDialog } from './dialogs.js';
import { texts } from './texts.js';

/** Chooses whether this browser shows notices and plays a sound while a tab is open. */
export function NoticesDialog() {
  const text = useTexts(texts);
  const [settings, set] = useBrowserNotices();
  const isPossible = 'Notification' in window;
  const [permission, setPermission] = useState(isPossible ? Notification.permission : 'denied');
  const close = () => openDialog(undefined);
  const switchBrowser = async (browser: boolean) => {
    if (browser && permission !== 'granted') {
      const given = await Notification.requestPermission();
      setPermission(given);
      if (given !== 'granted') return;
    }
    set((before) => ({ ...before, browser }));
  };
  const switchSound = (sound: boolean) => {
    set((before) => ({ ...before, sound }));
    if (sound) chime();
  };
  return (
    <Dialog title={text.notices.title} isOpen onClose={close} actions={<Button onClick={close}>{text.close}</Button>}>
      <div className="chat-form">
        <p>{text.notices.text}</p>
        {isPossible && (
          <Switch
            label={text.notices.browser}
            checked={settings.browser && permission === 'granted'}
            disabled={permission === 'denied'}
            onChange={(is) => void switchBrowser(is)}
          />
        )}
        {permission === 'denied' && <Note kind="warn" title={text.notices.denied} />}
        <Switch label={text.notices.sound} checked={settings.sound} onChange={switchSound} />
      </div>
    </Dialog>
  );
}
