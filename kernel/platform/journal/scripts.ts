/**
 * The journal's commands on Redis, each atomic. A topic is a hash with its state and a stream with its entries, whose ids are `<n>-0`, n
 * increasing by one. The hash stores the server's run, because entries of an earlier run may be older than what readers have seen, and the
 * number of lost writers, because each may have had more to append: after a restart or a loss a topic starts over, with a gap.
 *
 * KEYS: the hash, the stream. The first ARGV are always the run, the losses known to the caller, the epoch for a new topic,
 * and the expiry of the topic in ms.
 */
const openAt = (key: string): string => `
local meta, stream = KEYS[${key}], KEYS[${key} + 1]
local state = redis.call('HMGET', meta, 'run', 'epoch', 'last', 'bytes', 'ended', 'losses')
local known, epoch, last, bytes, ended = state[1], state[2], tonumber(state[3]), tonumber(state[4]), state[5]
local function create()
  redis.call('DEL', meta, stream)
  epoch, last, bytes, ended = ARGV[3], 0, 0, false
  redis.call('HSET', meta, 'run', ARGV[1], 'losses', ARGV[2], 'epoch', epoch, 'last', 0, 'bytes', 0)
  redis.call('PEXPIRE', meta, ARGV[4])
end
-- A new epoch whose first entry is missing: whoever follows finds a gap.
local function gap()
  create()
  last = 1
  redis.call('HSET', meta, 'last', last)
end
if known and (known ~= ARGV[1] or (tonumber(state[6]) or 0) < tonumber(ARGV[2])) then gap() end
`;

const OPEN = openAt('1');

/** Adds the entries whose types and data are a range of ARGV. ARGV 5 and 6: the limits of entries and bytes. */
const add = (from: string, to: string): string => `local kept = redis.call('XLEN', stream)
if kept == 0 then bytes = 0 end
for i = ${from}, ${to}, 2 do
  last = last + 1
  redis.call('XADD', stream, string.format('%.0f-0', last), 't', ARGV[i], 'd', ARGV[i + 1])
  bytes = bytes + #ARGV[i] + #ARGV[i + 1]
  kept = kept + 1
end
while kept > 0 and (kept > tonumber(ARGV[5]) or bytes > tonumber(ARGV[6])) do
  local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', stream, oldest[1])
  bytes = bytes - #oldest[2][2] - #oldest[2][4]
  kept = kept - 1
end
redis.call('HSET', meta, 'last', string.format('%.0f', last), 'bytes', string.format('%.0f', bytes))`;

/**
 * Appends entries. ARGV: entries, bytes, channel, 1 if an earlier append may have failed, then type and data of each entry. Returns
 * epoch and last, -1 if the topic has ended.
 */
const APPEND = `${OPEN}
if not known then create() end
if ended then return {epoch, -1} end
if ARGV[8] == '1' then gap() end
${add('9', '#ARGV')}
redis.call('PEXPIRE', meta, ARGV[4])
redis.call('PEXPIRE', stream, ARGV[4])
redis.call('PUBLISH', ARGV[7], last)
return {epoch, last}`;

/**
 * Appends entries to those topics that exist. KEYS: hash and stream of each topic. ARGV: entries, bytes, twice the number of entries, type
 * and data of each entry, then for each topic its channel, and 1 if an earlier append may have failed. The expiry stays as it was: only its
 * readers keep a topic. Publishes for missing topics too: a reader of a topic that Redis has lost finds a gap then.
 */
const APPEND_EXISTING = `
local fields = 7 + tonumber(ARGV[7])
for at = 1, #KEYS, 2 do
${openAt('at')}
if known and not ended then
  if ARGV[fields + at + 1] == '1' then gap() end
${add('8', 'fields')}
  redis.call('PEXPIRE', stream, math.max(redis.call('PTTL', meta), 1))
end
redis.call('PUBLISH', ARGV[fields + at], 'append')
end`;

/** Returns epoch and last, and renews the expiry: whoever asks is about to follow. */
const HEAD = `${OPEN}
if not known then create() end
if not ended then
  redis.call('PEXPIRE', meta, ARGV[4])
  redis.call('PEXPIRE', stream, ARGV[4])
end
return {epoch, last}`;

/** Ends a topic. ARGV: channel. Returns epoch and last. */
const END = `${OPEN}
if not known then create() end
redis.call('HSET', meta, 'ended', 1)
redis.call('PEXPIRE', meta, ARGV[4])
redis.call('PEXPIRE', stream, ARGV[4])
redis.call('PUBLISH', ARGV[5], 'end')
return {epoch, last}`;

/** Makes a gap. ARGV: channel. Returns epoch and last. */
const GAP = `${OPEN}
gap()
redis.call('PUBLISH', ARGV[5], 'gap')
return {epoch, last}`;

/**
 * Reads entries. ARGV: the reader's epoch ('' means from the first entry), its n, and the limits of entries and
 * bytes. Returns nothing if the topic is new and the reader wants all of it; otherwise
 * epoch, the first stored n, last, whether it has ended, and n, type and data of each entry.
 */
const READ = `${OPEN}
if not known then
  if ARGV[5] == '' then return {} end
  create()
end
local at = tonumber(ARGV[6])
local answer = {epoch, last + 1, last, ended and 1 or 0}
if at == last and (ARGV[5] == epoch or ARGV[5] == '') then return answer end
local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
if oldest then answer[2] = tonumber(string.match(oldest[1], '^%d+')) end
if (ARGV[5] ~= epoch and ARGV[5] ~= '') or at > last or at + 1 < answer[2] then return answer end
local room = tonumber(ARGV[8])
local from = '(' .. string.format('%.0f', at) .. '-0'
while #answer < 4 + 3 * tonumber(ARGV[7]) and room > 0 do
  local page = redis.call('XRANGE', stream, from, '+', 'COUNT', 16)
  for _, entry in ipairs(page) do
    answer[#answer + 1] = tonumber(string.match(entry[1], '^%d+'))
    answer[#answer + 1] = entry[2][2]
    answer[#answer + 1] = entry[2][4]
    room = room - #entry[2][4]
  end
  if #page < 16 then break end
  from = '(' .. page[16][1]
end
return answer`;

/**
 * Records a sign of life of a writer. KEYS: the writers by the time of their last sign in ms; the number of lost ones. ARGV after the run
 * and the losses: the writer, the silence in ms after which another counts as lost, and the expiry of both keys in ms. Returns the losses.
 */
const BEAT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lapse = tonumber(ARGV[4])
local before = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[3]) or 0)
local losses = math.max(tonumber(redis.call('GET', KEYS[2]) or 0), tonumber(ARGV[2]))
redis.call('ZADD', KEYS[1], now, ARGV[3])
-- To who was away itself, or has just come back, all others seem to be lost.
local pause = now - before
if pause > lapse / 6 and pause < lapse / 2 then losses = losses + redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - lapse) end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('SET', KEYS[2], losses, 'PX', ARGV[5])
return losses`;

export const scripts = {
  append: APPEND,
  append_existing: APPEND_EXISTING,
  head: HEAD,
  end: END,
  gap: GAP,
  read: READ,
  beat: BEAT,
} as const;
export type ScriptName = keyof typeof scripts;
