import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { connection } from '../kit/data/connection.js';
import { useKept } from '../kit/data/kept.js';
import { useValue } from '../kit/data/value.js';
import { frameApi } from './badges.js';

/** Address of the page that leads a new administrator through the first steps, if an extension has one. */
const first_run_path = '/first-run';

/** Leads the administrator of an installation without other people to the first steps, once. */
export function useFirstRun(): void {
  const { me, pages } = useValue(connection().start);
  const [path, navigate] = useLocation();
  const [wasLed, setLed] = useKept('shell.first-run', false, { persisted: true });
  const hasPage = pages.some(({ entries }) => entries.some((entry) => entry.path === first_run_path));
  const isAsked = me.role === 'admin' && hasPage && !wasLed && path === '/' && frameApi.can('members.seats');
  const { data } = frameApi.useRead('members.seats', {}, { enabled: isAsked });
  useEffect(() => {
    if (!isAsked || data === undefined) return;
    setLed(true);
    if (data.used <= 1) navigate(first_run_path, { replace: true });
  }, [isAsked, data, setLed, navigate]);
}
