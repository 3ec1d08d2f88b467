import { lazy, Suspense } from 'react';
import { useOpenDialog } from './dialogs.js';

const NewDialog = lazy(async () => ({ default: (await import('./new-dialog.js')).NewDialog }));
const RoomDialog = lazy(async () => ({ default: (await import('./room-dialog.js')).RoomDialog }));
const BrowseDialog = lazy(async () => ({ default: (await import('./browse-dialog.js')).BrowseDialog }));
const NoticesDialog = lazy(async () => ({ default: (await import('./notices-dialog.js')).NoticesDialog }));
const ReportDialog = lazy(async () => ({ default: (await import('./report-dialog.js')).ReportDialog }));
const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.js')).ExportDialog }));

/** Shows the dialog that is open; each is loaded when it is first wanted. */
export function OpenDialogs() {
  const open = useOpenDialog();
  return (
    <Suspense fallback={null}>
      {open?.kind === 'new' && <NewDialog />}
      {open?.kind === 'room' && <RoomDialog />}
      {open?.kind === 'browse' && <BrowseDialog />}
      {open?.kind === 'notices' && <NoticesDialog />}
      {open?.kind === 'report' && <ReportDialog {...open} />}
      {open?.kind === 'export' && <ExportDialog {...open} />}
    </Suspense>
  );
}
