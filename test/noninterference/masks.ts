/** Something that differs between two runs without a secret, and what stands for it. */
interface Mask {
  reason: string;
  pattern: RegExp;
  by: string;
}

/** Masks of all texts. Each takes as little as possible: what a mask hides, no comparison finds. */
export const masks: readonly Mask[] = [
  {
    reason: 'the clock goes on between the runs; a preview may cut a time',
    pattern: /\d{4}-\d\d-\d\dT[\d:.]*Z?/g,
    by: '<time>',
  },
  {
    reason: 'midnight may pass between the runs; the zone after the date stays',
    pattern: /\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, )?\d{4}-\d\d-\d\d\b/g,
    by: '<date>',
  },
  {
    reason: 'a line of the log says how long its request took, and when it was written',
    pattern: /\\*"(?:time|duration_ms|ms|took_ms|uptime_s|pid)\\*":(?:\d+(?:\.\d+)?|"<time>")/g,
    by: '"<duration>"',
  },
  {
    reason: 'each request has an id of its own',
    pattern: /\\*"(?:request_id|trace_id|span_id|req_id|instance)\\*":\\*"[^"\\]*\\*"/g,
    by: '"<request>"',
  },
  {
    reason: 'a cursor names the epoch of its journal and a place in it',
    pattern: /\\*"(?:cursor|from|epoch)\\*":\\*"[^"\\]*\\*"/g,
    by: '"<cursor>"',
  },
];
