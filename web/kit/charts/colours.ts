/** Returns a function that reads a role of the theme in force as a colour that a canvas accepts. */
export function colourReader(element: HTMLElement): (role: string) => string {
  // The value of a custom property is its text, `light-dark(…)`; only a property that uses it has a colour.
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const read = (role: string) => {
    probe.style.color = `var(${role})`;
    return getComputedStyle(probe).color;
  };
  queueMicrotask(() => probe.remove());
  return read;
}
