import { useEffect, useState } from 'react';
import { cut, oneLine, widthOf } from './kit/cells.js';
import { useDashboard, useSpace } from './kit/context.js';
import { duration } from './kit/formats.js';
import type { LiveState } from './kit/live.js';
import type { Me } from './kit/panel.js';
import { type Kind, Text } from './kit/text.js';
import type { Session } from './session.js';

const tick_ms = 1_000;

/** Shows the installation, the member and the state of the connection. */
export function Header({ session, me }: { session: Session; me: Me }) {
  const { live, clock, readonly } = useDashboard();
  const { columns } = useSpace();
  const [, setDraws] = useState(0);
  useEffect(() => {
    const draw = () => setDraws((draws) => draws + 1);
    const timer = setInterval(() => (live.state.state === 'waiting' ? draw() : undefined), tick_ms);
    const unwatch = live.watch(draw);
    return () => {
      clearInterval(timer);
      unwatch();
    };
  }, [live]);
  const state = stateOf(session, live.state, clock());
  const account = `  ${oneLine(me.username)} (${me.role})${readonly ? '  read-only' : ''}  `;
  const place = cut(`platform  ${placeOf(session)}`, columns - widthOf(account) - widthOf(state.text));
  return (
    <Text>
      <Text kind="strong">{place}</Text>
      {account}
      <Text kind={state.kind}>{state.text}</Text>
    </Text>
  );
}

function placeOf({ way, name }: Session): string {
  if (way === 'http') return oneLine(name);
  return way === 'local' ? `local socket of ${oneLine(name)}` : `direct: this process uses ${oneLine(name)}`;
}

function stateOf({ way }: Session, state: LiveState, now: number): { text: string; kind: Kind } {
  if (way === 'direct') return { text: 'no server', kind: 'dim' };
  if (state.state === 'open') return { text: 'connected', kind: 'good' };
  if (state.state === 'closed') return { text: `disconnected: ${oneLine(state.reason)}`, kind: 'bad' };
  const since = now - state.since;
  return { text: since < 1_000 ? 'connecting' : `reconnecting for ${duration(since)}`, kind: 'warn' };
}
