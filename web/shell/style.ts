/** A style sheet that is loaded and not yet in force. */
export interface Style {
  apply: () => void;
  remove: () => void;
}

const patience_ms = 8_000;

/** Loads a style sheet. Its rules apply when the views that need them are shown, so that the former views don't change before. */
export function loadStyle(address: string): Promise<Style> {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = address;
    link.media = 'not all';
    const style: Style = { apply: () => (link.media = 'all'), remove: () => link.remove() };
    const fail = () => {
      link.remove();
      reject(new Error(`The style sheet ${address} can't be loaded`));
    };
    const timer = setTimeout(fail, patience_ms);
    link.addEventListener('load', () => {
      clearTimeout(timer);
      resolve(style);
    });
    link.addEventListener('error', () => {
      clearTimeout(timer);
      fail();
    });
    document.head.append(link);
  });
}
