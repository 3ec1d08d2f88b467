import { cut, oneLine, widthOf } from './kit/cells.js';
import { useSpace } from './kit/context.js';
import { Text } from './kit/text.js';
import type { View } from './panels.js';

/** Shows the views with their digits in one line. If there is too little room, only the current one has its full title. */
export function Tabs({ views, chosen }: { views: readonly View[]; chosen: View | undefined }) {
  const { columns } = useSpace();
  const letters = lettersFor(views, chosen, columns);
  return (
    <Text>
      {views.map((view, index) => (
        <Text key={view.name} chosen={view === chosen} kind={view === chosen ? 'strong' : 'dim'}>
          {labelOf(view, index, view === chosen ? undefined : letters)}
        </Text>
      ))}
    </Text>
  );
}

const marks = ['[', ']'] as const;

function labelOf({ panel }: View, index: number, letters: number | undefined): string {
  const title = oneLine(panel.title);
  const digit = index < 9 ? `${index + 1} ` : '';
  if (letters === undefined) return `${marks[0]}${digit}${title}${marks[1]}`;
  return letters === 0 ? ` ${digit}` : ` ${digit}${cut(title, letters)} `;
}

/** Returns the limit of letters for the titles of the other views. */
function lettersFor(views: readonly View[], chosen: View | undefined, columns: number): number {
  for (let letters = 24; letters > 0; letters -= 1) {
    const lengths = views.map((view, index) => widthOf(labelOf(view, index, view === chosen ? undefined : letters)));
    if (lengths.reduce((sum, length) => sum + length, 0) <= columns) return letters;
  }
  return 0;
}
