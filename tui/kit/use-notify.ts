import { type NotifyKind, useDashboard } from './context.js';

/** Returns the function that shows a notice above the footer for some seconds. */
export function useNotify(): (text: string, kind?: NotifyKind) => void {
  return useDashboard().notify;
}

/** Returns the function that shows a thrown error there: its message, its code, and a hint. */
export function useFailed(): (thrown: unknown) => void {
  return useDashboard().failed;
}
