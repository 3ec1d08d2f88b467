/** Common English words: searches for them find messages. */
const words = `about after again all also always another any around ask away back because before began begin below between
book both box bring budget build call came can carry change children city close come contract could country customer cut
data day deliver design did different does draft each earth end enough even every example eyes face family far father feet
few find first follow food form found four from game gave get give good great group grow had hand hard has have head hear
help here high home house how idea important invoice its just keep kind know land large last later launch learn leave left
letter life light like line list little live long look made make many market mean meeting men might mile money more most
mother mountain move much must name near need never new next night number office often oil old once only open order other
our out over own page paper part people place plan plant play point price project put question quick read really report
review right river room run said same say school sea second see seem sentence set she should show side small some song soon
sound spell start state still stop story study such supplier take talk team tell than that their them then there these they
thing think this thought three through time together took travel tree try turn two under until up use very walk want was
watch water way week well went were what when where which while white who why will with without word work world would write
year young your`
  .split(/\s+/)
  .filter(Boolean);

export const emoji = '😀 🙂 😄 😎 😇 🤗 🤫 🤭 🤔 🤐 🤨 😐 😑 😶 😏 😒 🙄 😬 🤥 😌 😔 😪 🤤 😴 😷'.split(' ');

export function randomOf<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(Math.random() * list.length)];
}

export function randomWord(): string {
  return randomOf(words) as string;
}

/** Returns a text of 1 to twice the average of words, with an emoji in one of ten: for messages 35 words, for replies 24. */
export function randomText(average: number): string {
  const count = Math.floor(Math.random() * (average * 2 - 2)) + 1;
  const text = Array.from({ length: count }, randomWord).join(' ');
  return Math.random() < 0.1 ? `${text} ${randomOf(emoji)}` : `${text}.`;
}
