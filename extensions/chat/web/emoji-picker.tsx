import { Popover, useTexts } from '@platform/kit';
import { useState } from 'react';
import { texts } from './texts.js';

/** Emoji with words to find them by, in both languages. Any other one can be typed or pasted. */
const choices: readonly (readonly [string, string])[] = [
  ['👍', 'thumbs up yes agree 赞 同意'],
  ['👎', 'thumbs down no 反对'],
  ['❤️', 'heart love 爱心'],
  ['😄', 'smile happy 笑'],
  ['😂', 'laugh tears 笑哭'],
  ['🎉', 'party congratulations 庆祝'],
  ['👏', 'clap applause 鼓掌'],
  ['🙏', 'thanks please 谢谢 请'],
  ['👀', 'eyes look 看'],
  ['✅', 'done check 完成'],
  ['❌', 'no cross 错'],
  ['❓', 'question 问题'],
  ['❗', 'important 重要'],
  ['🔥', 'fire 火'],
  ['💡', 'idea light 主意'],
  ['🚀', 'rocket launch 火箭 发布'],
  ['🐛', 'bug 缺陷'],
  ['🤔', 'thinking 思考'],
  ['😢', 'sad cry 难过'],
  ['😮', 'surprised 惊讶'],
  ['😅', 'sweat 汗'],
  ['😎', 'cool 酷'],
  ['😴', 'sleep tired 困'],
  ['🤝', 'deal handshake 握手'],
  ['💪', 'strong 加油'],
  ['☕', 'coffee break 咖啡'],
  ['⏰', 'time clock 时间'],
  ['📌', 'pin 置顶'],
  ['📎', 'paperclip file 附件'],
  ['✏️', 'edit write 编辑'],
  ['⭐', 'star 星'],
  ['💯', 'hundred perfect 满分'],
  ['➕', 'plus 加'],
  ['🆗', 'ok 好'],
  ['👋', 'hello bye wave 你好 再见'],
  ['🥳', 'celebrate 庆祝'],
];

// A literal would need a newer target of the compiler.
const flag = 'v';

/** Returns a pattern of one emoji. Older browsers know no properties of strings: they take what begins like an emoji. */
function emojiPattern(): RegExp {
  try {
    return new RegExp('^\\p{RGI_Emoji}$', flag);
  } catch {
    return /^\p{Extended_Pictographic}/u;
  }
}

let pattern: RegExp | undefined;

/** Returns whether a text is one emoji. The pattern takes milliseconds to make, and few people type one. */
function isEmoji(text: string): boolean {
  pattern ??= emojiPattern();
  return pattern.test(text);
}

/** Shows a button that opens a choice of emoji. */
export function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }) {
  const text = useTexts(texts);
  return (
    <Popover isSmall icon="react" label={text.message.react}>
      {(close) => (
        <Choices
          onPick={(emoji) => {
            onPick(emoji);
            close();
          }}
        />
      )}
    </Popover>
  );
}

function Choices({ onPick }: { onPick: (emoji: string) => void }) {
  const text = useTexts(texts);
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const found = choices.filter(([emoji, words]) => wanted === '' || emoji === wanted || words.includes(wanted));
  const own = wanted !== '' && isEmoji(wanted) && !found.some(([emoji]) => emoji === wanted) ? [[wanted, wanted] as const] : [];
  return (
    <form
      className="chat-emoji"
      onSubmit={(event) => {
        event.preventDefault();
        const first = [...own, ...found][0];
        if (first) onPick(first[0]);
      }}
    >
      <input
        className="chat-field"
        type="search"
        value={typed}
        aria-label={text.emoji.search}
        placeholder={text.emoji.search}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className="chat-emoji-all">
        {[...own, ...found].map(([emoji, words]) => (
          <button
            key={emoji}
            type="button"
            className="chat-emoji-one"
            aria-label={`${emoji} ${words.split(' ')[0]}`}
            onClick={() => onPick(emoji)}
          >
            {emoji}
          </button>
        ))}
        {own.length + found.length === 0 && <p className="chat-quiet">{text.emoji.none}</p>}
      </div>
    </form>
  );
}
