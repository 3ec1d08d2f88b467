/**
 * Knows the forms in which a person has typed and that weren't sent since. A safety net for pages that don't say it themselves by
 * `useUnsaved`; a text field outside of a form, such as a filter, isn't worth keeping a new version back.
 */
export class DirtyForms {
  readonly #touched = new Set<HTMLFormElement>();

  constructor() {
    document.addEventListener('input', ({ target }) => {
      const form = target instanceof Element ? target.closest('form') : null;
      if (form && form.role !== 'search') this.#touched.add(form);
    });
    for (const event of ['submit', 'reset'])
      document.addEventListener(event, ({ target }) => target instanceof HTMLFormElement && this.#touched.delete(target));
  }

  /** Returns whether one of them is still shown and has a text. */
  isDirty(): boolean {
    for (const form of this.#touched) if (!form.isConnected) this.#touched.delete(form);
    return [...this.#touched].some((form) =>
      [...form.querySelectorAll('input, textarea')].some((field) => (field as HTMLInputElement).value !== ''),
    );
  }
}
