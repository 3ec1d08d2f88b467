import activity from 'lucide-react/icons/activity';
import archive from 'lucide-react/icons/archive';
import arrowDown from 'lucide-react/icons/arrow-down';
import arrowLeft from 'lucide-react/icons/arrow-left';
import arrowUp from 'lucide-react/icons/arrow-up';
import at from 'lucide-react/icons/at-sign';
import bell from 'lucide-react/icons/bell';
import bellOff from 'lucide-react/icons/bell-off';
import bot from 'lucide-react/icons/bot';
import calendar from 'lucide-react/icons/calendar-clock';
import chart from 'lucide-react/icons/chart-line';
import check from 'lucide-react/icons/check';
import chevronDown from 'lucide-react/icons/chevron-down';
import chevronLeft from 'lucide-react/icons/chevron-left';
import chevronRight from 'lucide-react/icons/chevron-right';
import chevronUp from 'lucide-react/icons/chevron-up';
import circleAlert from 'lucide-react/icons/circle-alert';
import circleCheck from 'lucide-react/icons/circle-check';
import clock from 'lucide-react/icons/clock';
import copy from 'lucide-react/icons/copy';
import download from 'lucide-react/icons/download';
import ellipsis from 'lucide-react/icons/ellipsis';
import external from 'lucide-react/icons/external-link';
import eye from 'lucide-react/icons/eye';
import eyeOff from 'lucide-react/icons/eye-off';
import file from 'lucide-react/icons/file';
import flag from 'lucide-react/icons/flag';
import globe from 'lucide-react/icons/globe';
import hash from 'lucide-react/icons/hash';
import house from 'lucide-react/icons/house';
import image from 'lucide-react/icons/image';
import info from 'lucide-react/icons/info';
import key from 'lucide-react/icons/key-round';
import keyboard from 'lucide-react/icons/keyboard';
import link from 'lucide-react/icons/link';
import filter from 'lucide-react/icons/list-filter';
import lock from 'lucide-react/icons/lock';
import logOut from 'lucide-react/icons/log-out';
import message from 'lucide-react/icons/message-square';
import messages from 'lucide-react/icons/messages-square';
import moon from 'lucide-react/icons/moon';
import panelLeft from 'lucide-react/icons/panel-left';
import paperclip from 'lucide-react/icons/paperclip';
import pause from 'lucide-react/icons/pause';
import pencil from 'lucide-react/icons/pencil';
import play from 'lucide-react/icons/play';
import plus from 'lucide-react/icons/plus';
import puzzle from 'lucide-react/icons/puzzle';
import reply from 'lucide-react/icons/reply';
import refresh from 'lucide-react/icons/rotate-cw';
import scroll from 'lucide-react/icons/scroll-text';
import search from 'lucide-react/icons/search';
import server from 'lucide-react/icons/server';
import shield from 'lucide-react/icons/shield';
import sliders from 'lucide-react/icons/sliders-horizontal';
import smile from 'lucide-react/icons/smile-plus';
import square from 'lucide-react/icons/square';
import terminal from 'lucide-react/icons/square-terminal';
import store from 'lucide-react/icons/store';
import sun from 'lucide-react/icons/sun';
import thought from 'lucide-react/icons/text-search';
import trash from 'lucide-react/icons/trash-2';
import triangleAlert from 'lucide-react/icons/triangle-alert';
import upload from 'lucide-react/icons/upload';
import user from 'lucide-react/icons/user';
import userPlus from 'lucide-react/icons/user-plus';
import users from 'lucide-react/icons/users';
import wifiOff from 'lucide-react/icons/wifi-off';
import wrench from 'lucide-react/icons/wrench';
import x from 'lucide-react/icons/x';

/**
 * The icons of the app, by meaning rather than by picture: a page says `delete`, and every page shows the same picture for it. Each icon is
 * imported alone, so the app carries these and no others.
 */
export const icons = {
  // Places
  home: house,
  message,
  room: hash,
  thread: messages,
  people: users,
  person: user,
  agent: bot,
  bell,
  'bell-off': bellOff,
  node: server,
  schedule: calendar,
  market: store,
  plugin: puzzle,
  system: activity,
  settings: sliders,
  audit: scroll,
  backup: archive,
  chart,
  // Actions
  add: plus,
  'add-person': userPlus,
  attach: paperclip,
  back: arrowLeft,
  close: x,
  copy,
  delete: trash,
  download,
  edit: pencil,
  filter,
  link,
  'log-out': logOut,
  menu: panelLeft,
  more: ellipsis,
  pause,
  play,
  react: smile,
  refresh,
  reply,
  report: flag,
  search,
  send: arrowUp,
  stop: square,
  upload,
  // Things
  clock,
  external,
  file,
  image,
  key,
  keyboard,
  language: globe,
  lock,
  mention: at,
  shield,
  terminal,
  thought,
  tool: wrench,
  // States
  check,
  error: circleAlert,
  info,
  offline: wifiOff,
  ok: circleCheck,
  warning: triangleAlert,
  hide: eyeOff,
  show: eye,
  dark: moon,
  light: sun,
  // Directions
  down: chevronDown,
  left: chevronLeft,
  right: chevronRight,
  up: chevronUp,
  'sort-down': arrowDown,
  'sort-up': arrowUp,
} as const;

export type IconName = keyof typeof icons;

/** Returns whether a text is the name of an icon; plugins' and manifests' names come as text. */
export function isIconName(name: string): name is IconName {
  return Object.hasOwn(icons, name);
}
