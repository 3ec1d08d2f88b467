export { mayAdminister } from '../../../kernel/contract/authority.js';
export { isOwnPath, linkAddress } from './address.js';
export { announce } from './announce.js';
export { type BrowserNotices, useBrowserNotices } from './browser-notices.js';
export { chime } from './chime.js';
export { confirm, type Question } from './confirm.js';
export { definePage, type PageModule } from './define-page.js';
export { type FailureWords, failureText, faultsOf, useFailureText, useFailureTitle } from './failure-text.js';
export { type Format, format, useFormat } from './format.js';
export { type LiveState, type SocketFrame, sendFrame, useFrames, useLive, usePresence, useResync, useTyping } from './frames.js';
export { firstPart, jsonText } from './json-text.js';
export { useKept, useKeptScroll, useKeptSelection } from './kept.js';
export { late } from './late.js';
export { type KnownMember, type Me, useMe, useMember } from './members.js';
export { addressOf, Go, type GoOptions, type GoProps, type Route, useGo, useRoute } from './navigation.js';
export { type NoticeOptions, notify, useNotify } from './notices.js';
export { oneLine } from './one-line.js';
export {
  againAll,
  type Cached,
  callOperation,
  type OperationsOf,
  operations,
  type Read,
  type ReadOptions,
  type Write,
  type WriteOptions,
} from './operations.js';
export { type OutboxItem, type OutboxOf, outbox } from './outbox.js';
export { usePageTitle } from './page-title.js';
export { whenReachable } from './reachable.js';
export { saveBlob } from './save-blob.js';
export { isApple, type Shortcut, useShortcut } from './shortcuts.js';
export { type Catalogue, type Texts, textsOf, useLanguage, useTexts } from './texts.js';
export { useUnsaved } from './unsaved.js';
export { type Language, type Preferences, type ThemeName, usePreferences } from './use-preferences.js';
