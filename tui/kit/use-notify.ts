import { type NotifyKind, useDashboard } from './context.js';

/** Shows a line above the footer for some seconds. */
export function useNotify(): (text: string, kind?: NotifyKind) => void {
  return useDashboard().notify;
}

/** Shows something thrown in that line: its sentence, its code, and what helps. */
export function useFailed(): (thrown: unknown) => void {
  return useDashboard().failed;
}
