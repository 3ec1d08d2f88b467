import type { Locator, Page } from 'playwright-core';

/** Says why a person at the keyboard doesn't see where the focus is; empty if it is seen. The page itself may have it unmarked. */
const look = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return 'the focus is lost';
  if (element.id === 'page' || element.tagName === 'IFRAME') return '';
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.bottom < 0 || box.top > innerHeight) return 'the focus is out of sight: ' + element.outerHTML.slice(0, 200);
  const isMarked = (at) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || (boxShadow !== 'none' && !at.matches('[role=dialog], .kit-modal'));
  };
  const around = [element, element.parentElement, element.parentElement?.parentElement, ...element.querySelectorAll(':scope > *, :scope > label > *')];
  if (around.some((at) => at && isMarked(at)) || element.closest('.chat-composer:focus-within')) return '';
  return 'the focus is not marked: ' + element.outerHTML.slice(0, 200);
})()`;

const max_tabs = 120;
const patience_ms = 2_000;

/** A person without a pointer. */
export class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses a key; throws unless the focus is then seen somewhere. */
  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
    await this.seesFocus(key);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    await this.seesFocus(text);
  }

  /** Tabs to an element, forwards or backwards. */
  async tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await target.waitFor();
    for (let tabs = 0; tabs < max_tabs; tabs += 1) {
      if (await hasFocus(target)) return;
      await this.page.keyboard.press(key);
      // Behind the last element is the browser's own frame.
      if (await this.page.evaluate<boolean>('document.activeElement === document.body')) await this.page.keyboard.press(key);
      await this.seesFocus(key);
    }
    throw new Error(`${max_tabs} times ${key} did not reach ${String(target)}`);
  }

  /** Tabs to an element and presses Enter on it. */
  async open(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await this.tabTo(target, key);
    await this.press('Enter');
  }

  /** Opens what the palette finds. */
  async find(name: string): Promise<void> {
    await this.press('Control+k');
    await this.page.locator('[role=combobox]:focus').waitFor();
    await this.type(name);
    await this.page.locator('[role=option][aria-selected=true]').filter({ hasText: name }).waitFor();
    await this.press('Enter');
  }

  /** Waits until the focus is seen. */
  async seesFocus(after: string): Promise<void> {
    for (const until = Date.now() + patience_ms; ; ) {
      const fault = await this.page.evaluate<string>(look).catch(() => 'the page changes');
      if (fault === '') return;
      if (Date.now() > until) throw new Error(`After ${after} ${fault}`);
      await this.page.waitForTimeout(50);
    }
  }
}

async function hasFocus(target: Locator): Promise<boolean> {
  return (await target.and(target.page().locator(':focus')).count()) > 0;
}
