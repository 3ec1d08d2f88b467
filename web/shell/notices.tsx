import { announcement } from '../kit/data/announce.js';
import { dismiss, notices } from '../kit/data/notices.js';
import { useValue } from '../kit/data/value.js';
import { Button, Icon, IconButton } from '../kit/index.js';
import { useShellTexts } from './texts/index.js';

const icons = { info: 'info', success: 'ok', error: 'error' } as const;

/** Shows the notices, and says announcements to screen readers. */
export function Notices() {
  const text = useShellTexts();
  const all = useValue(notices);
  return (
    <>
      <Announcer />
      {/* React Aria hides everything beside its dialogs, except what is marked as a layer above them. */}
      <section className="shell-notices" data-react-aria-top-layer="true" aria-label={text.notices}>
        {all.map(({ id, text: title, detail, kind = 'info', action }) => (
          <div key={id} className={`shell-notice shell-notice-${kind}`}>
            <Icon name={icons[kind]} />
            <div className="shell-notice-text">
              <p>{title}</p>
              {detail && <p className="shell-quiet">{detail}</p>}
            </div>
            {action && (
              <Button
                isSmall
                onClick={() => {
                  dismiss(id);
                  action.run();
                }}
              >
                {action.label}
              </Button>
            )}
            <IconButton isSmall icon="close" label={text.dismiss} onClick={() => dismiss(id)} />
          </div>
        ))}
      </section>
    </>
  );
}

/** Two live regions, which must be in the document before their text changes. The key makes the same text twice two announcements. */
function Announcer() {
  const { text, urgent, id } = useValue(announcement);
  return (
    <>
      <div className="kit-hidden" role="status" data-react-aria-top-layer="true">
        {!urgent && <span key={id}>{text}</span>}
      </div>
      <div className="kit-hidden" role="alert" data-react-aria-top-layer="true">
        {urgent && <span key={id}>{text}</span>}
      </div>
    </>
  );
}
