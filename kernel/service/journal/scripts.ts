/**
 * The journal's commands on Redis, each atomic. A topic is a hash with its state and a stream with its
 * entries, whose ids are `<n>-0`, n rising by one. The hash names the server's run: entries from before
 * a restart may be older than what readers have seen, so a restart begins a new epoch.
 *
 * KEYS: the hash, the stream. The first ARGV are always the run, and the epoch of a topic that is new.
 */
const OPEN = `
local meta, stream = KEYS[1], KEYS[2]
local state = redis.call('HMGET', meta, 'run', 'epoch', 'last', 'bytes', 'ended')
local known = state[1] == ARGV[1]
local epoch, last, bytes, ended = state[2], tonumber(state[3]), tonumber(state[4]), state[5]
local function create(idle_ms)
  redis.call('DEL', meta, stream)
  epoch, last, bytes, ended = ARGV[2], 0, 0, false
  redis.call('HSET', meta, 'run', ARGV[1], 'epoch', epoch, 'last', 0, 'bytes', 0)
  redis.call('PEXPIRE', meta, idle_ms)
end
-- A new epoch whose first entry is missing: whoever follows finds a gap.
local function tear(idle_ms)
  create(idle_ms)
  last = 1
  redis.call('HSET', meta, 'last', last)
end
`;

/**
 * ARGV: idle_ms, entries, bytes, channel, 1 where an earlier append may have failed, then type and data of each entry. Gives epoch
 * and last, -1 where the topic has ended.
 */
const APPEND = `${OPEN}
if not known then create(ARGV[3]) end
if ended then return {epoch, -1} end
if ARGV[7] == '1' then tear(ARGV[3]) end
local kept = redis.call('XLEN', stream)
if kept == 0 then bytes = 0 end
for i = 8, #ARGV, 2 do
  last = last + 1
  redis.call('XADD', stream, string.format('%.0f-0', last), 't', ARGV[i], 'd', ARGV[i + 1])
  bytes = bytes + #ARGV[i] + #ARGV[i + 1]
  kept = kept + 1
end
while kept > 0 and (kept > tonumber(ARGV[4]) or bytes > tonumber(ARGV[5])) do
  local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', stream, oldest[1])
  bytes = bytes - #oldest[2][2] - #oldest[2][4]
  kept = kept - 1
end
redis.call('HSET', meta, 'last', string.format('%.0f', last), 'bytes', string.format('%.0f', bytes))
redis.call('PEXPIRE', meta, ARGV[3])
redis.call('PEXPIRE', stream, ARGV[3])
redis.call('PUBLISH', ARGV[6], last)
return {epoch, last}`;

/** ARGV: idle_ms. Gives epoch and last. */
const HEAD = `${OPEN}
if not known then create(ARGV[3]) end
return {epoch, last}`;

/** ARGV: ended_ms, channel. */
const END = `${OPEN}
if not known then create(ARGV[3]) end
redis.call('HSET', meta, 'ended', 1)
redis.call('PEXPIRE', meta, ARGV[3])
redis.call('PEXPIRE', stream, ARGV[3])
redis.call('PUBLISH', ARGV[4], 'end')
return {epoch, last}`;

/** ARGV: idle_ms, channel. Gives epoch and last. */
const TEAR = `${OPEN}
tear(ARGV[3])
redis.call('PUBLISH', ARGV[4], 'tear')
return {epoch, last}`;

/**
 * ARGV: idle_ms, the reader's epoch ('' for none: from the first entry), its n, the most entries and
 * the most bytes to give. Gives nothing where the topic is new and the reader wants all of it, else
 * epoch, the first n that is kept, last, whether it has ended, and n, type and data of each entry.
 */
const READ = `${OPEN}
if not known then
  if ARGV[4] == '' then return {} end
  create(ARGV[3])
end
local at = tonumber(ARGV[5])
local answer = {epoch, last + 1, last, ended and 1 or 0}
if at == last and (ARGV[4] == epoch or ARGV[4] == '') then return answer end
local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
if oldest then answer[2] = tonumber(string.match(oldest[1], '^%d+')) end
if (ARGV[4] ~= epoch and ARGV[4] ~= '') or at > last or at + 1 < answer[2] then return answer end
local room = tonumber(ARGV[7])
local from = '(' .. string.format('%.0f', at) .. '-0'
while #answer < 4 + 3 * tonumber(ARGV[6]) and room > 0 do
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

export const scripts = { append: APPEND, head: HEAD, end: END, tear: TEAR, read: READ } as const;
export type ScriptName = keyof typeof scripts;
