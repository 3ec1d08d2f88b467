/** Copies a text. Browsers offer their clipboard on https and localhost only; elsewhere the old command still works. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  const focused = document.activeElement;
  area.value = text;
  area.readOnly = true;
  area.className = 'kit-hidden';
  // Within a dialog, which holds the focus.
  (focused?.closest('[role="dialog"]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!isCopied) throw new Error('The browser refused to copy');
}
