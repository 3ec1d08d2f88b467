import type { Migration } from '../../../kernel/contract/index.js';
import { migration as chat } from './0001-chat.js';
import { migration as joins } from './0002-joins.js';
import { migration as images } from './0003-images.js';
import { migration as pairs } from './0004-pairs.js';
import { migration as search } from './0010-search.js';
import { migration as places } from './0011-places.js';
import { migration as guests } from './0012-guests.js';
import { migration as notices } from './0020-notices.js';
import { migration as people } from './0021-people.js';
import { migration as usage } from './0022-usage.js';
import { migration as changes } from './0030-message-changes.js';
import { migration as rooms } from './0031-rooms.js';
import { migration as roomIndexes } from './0032-room-indexes.js';
import { migration as roomSearch } from './0033-room-search.js';
import { migration as files } from './0040-files.js';
import { migration as fileTexts } from './0041-file-texts.js';
import { migration as fileTurns } from './0042-file-turns.js';
import { migration as reports } from './0043-reports.js';
import { migration as failedTasks } from './0044-failed-tasks.js';
import { migration as searchRemovals } from './0050-search-removals.js';
import { migration as imported } from './0051-imported.js';

/** Steps of chat's schema, in their order. */
export const migrations: Migration[] = [
  chat,
  joins,
  images,
  pairs,
  search,
  places,
  guests,
  notices,
  people,
  usage,
  changes,
  rooms,
  roomIndexes,
  roomSearch,
  files,
  fileTexts,
  fileTurns,
  reports,
  failedTasks,
  searchRemovals,
  imported,
];
