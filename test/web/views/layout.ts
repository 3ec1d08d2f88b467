import type { Page } from 'playwright-core';

/** Runs in the page, as text: these tests are compiled without the names of browsers. */
const look = `(() => {
  const faults = [];
  const name = (element) => {
    const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
    return element.tagName.toLowerCase() + '.' + String(element.className?.baseVal ?? element.className).replaceAll(' ', '.') + ' "' + text + '"';
  };
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) faults.push('the page is ' + root.scrollWidth + ' px wide in a window of ' + innerWidth);
  const isHidden = (element) => {
    const style = getComputedStyle(element);
    return !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || style.clipPath === 'inset(50%)';
  };
  const within = [...document.querySelectorAll('#page, #page *, .shell-side *, .shell-top *, [role=dialog] *, [role=alertdialog] *, dialog[open] *')];
  for (const element of within) {
    if (element.closest('.kit-hidden, svg, canvas, iframe, .uplot') || isHidden(element)) continue;
    const style = getComputedStyle(element);
    // These are made to scroll sideways; others would hide what is at their end.
    const mayScroll = element.matches('pre, .kit-table-frame, .kit-markdown-table, .kit-tab-list');
    if (/auto|scroll/.test(style.overflowX) && !mayScroll && element.scrollWidth > element.clientWidth + 1) faults.push('scrolls sideways: ' + name(element));
    const hides = /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis';
    if (hides && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1) faults.push('cuts off its content: ' + name(element));
    if (/^(BUTTON|H1|H2|H3|LABEL|LEGEND|TH)$/.test(element.tagName) && style.overflowX === 'visible' && style.display !== 'inline') {
      if (element.scrollWidth > element.clientWidth + 1) faults.push('sticks out of itself: ' + name(element));
    }
    const scrolls = (at) => at && at !== root && (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX) || scrolls(at.parentElement));
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0 && (right > innerWidth + 1 || left < -1) && !scrolls(element.parentElement)) faults.push('is beside the window: ' + name(element));
  }
  const isLayer = (element) => element && (/fixed|sticky/.test(getComputedStyle(element).position) || isLayer(element.parentElement));
  for (const element of document.querySelectorAll('button, a[href], input, textarea, [role=tab], [role=switch]')) {
    if (isHidden(element) || element.closest('.kit-hidden, [inert], [aria-hidden=true]')) continue;
    const { left, top, width, height } = element.getBoundingClientRect();
    // Boxes and switches are drawn by their labels.
    if (width < 4 || height < 4) continue;
    const [x, y] = [left + width / 2, top + height / 2];
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) continue;
    const clipped = (at) => {
      if (!at || at === root) return false;
      const box = at.getBoundingClientRect();
      const hides = /auto|scroll|hidden|clip/.test(getComputedStyle(at).overflow);
      return (hides && (x < box.left || x > box.right || y < box.top || y > box.bottom)) || clipped(at.parentElement);
    };
    if (clipped(element.parentElement)) continue;
    const above = document.elementFromPoint(x, y);
    if (!above || element.contains(above) || above.contains(element) || element.closest('label')?.contains(above) || isLayer(above)) continue;
    faults.push('is covered by ' + name(above) + ': ' + name(element));
  }
  return [...new Set(faults)];
})()`;

/** Waits for the frame in which the page has followed the size of its window. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Returns what is wider than the window, cut off, or covered, in the page's present size. */
export async function layoutFaults(page: Page): Promise<string[]> {
  await drawn(page);
  return page.evaluate<string[]>(look);
}
