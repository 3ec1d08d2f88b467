import { late } from '@platform/kit';
import { Suspense } from 'react';
import { useOpenDialog } from './dialogs.js';

const NewDialog = late(async () => (await import('./new-dialog.js')).NewDialog);
const RoomDialog = late(async () => (await import('./room-dialog.js')).RoomDialog);
const BrowseDialog = late(async () => (await import('./browse-dialog.js')).BrowseDialog);
const NoticesDialog = late(async () => (await import('./notices-dialog.js')).NoticesDialog);
const ReportDialog = late(async () => (await import('./report-dialog.js')).ReportDialog);
const ExportDialog = late(async () => (await import('./export-dialog.js')).ExportDialog);

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
