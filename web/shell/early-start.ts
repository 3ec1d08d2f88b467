import type { Session } from '../kit/data/session.js';

let asked: Promise<unknown> | undefined;
let isAsked = false;

/** Asks for the start as soon as the member is logged in, while the app's code is still on its way. */
export function askForStart(session: Session, prefix: string): void {
  const token = session.token();
  if (isAsked || token === undefined) return;
  isAsked = true;
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  asked = fetch(`${prefix}/api/web/start`, { headers }).then(
    (response) => (response.ok ? response.json() : undefined),
    () => undefined,
  );
}

/** Returns the answer, once; undefined if it must be asked for again. */
export function takeStart(): Promise<unknown> | undefined {
  const taken = asked;
  asked = undefined;
  return taken;
}
