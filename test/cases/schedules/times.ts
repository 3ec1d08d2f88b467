/** A time of `once`, the zone it stands in, and the instant it means. */
export interface TimeCase {
  name: string;
  source: string;
  timezone?: string;
  value: string;
  at: string;
}

const zones = 'RFC 9557 section 1.1; ISO 8601: a local time has no offset';
const gaps = 'cron(8): jobs of a skipped hour run at once, those of a repeated hour once';

/** The platform's clock stands at 2026-11-20T12:00Z. */
export const timeCases: readonly TimeCase[] = [
  {
    name: 'a time without an offset is in the zone of the schedule, in summer',
    source: zones,
    timezone: 'Europe/Berlin',
    value: '2027-07-01T09:00',
    at: '2027-07-01T07:00:00.000Z',
  },
  {
    name: 'a time without an offset is in the zone of the schedule, in winter',
    source: zones,
    timezone: 'Europe/Berlin',
    value: '2027-01-31T09:00:30.250',
    at: '2027-01-31T08:00:30.250Z',
  },
  { name: 'a time without an offset and a zone is in UTC', source: zones, value: '2027-07-01T09:00', at: '2027-07-01T09:00:00.000Z' },
  {
    name: 'Z takes precedence over the zone',
    source: zones,
    timezone: 'Europe/Berlin',
    value: '2027-07-01T09:00Z',
    at: '2027-07-01T09:00:00.000Z',
  },
  {
    name: 'an offset takes precedence over the zone',
    source: zones,
    timezone: 'Asia/Tokyo',
    value: '2027-07-01T09:00-05:00',
    at: '2027-07-01T14:00:00.000Z',
  },
  {
    name: 'an offset of +00:00 is an offset',
    source: zones,
    timezone: 'Asia/Tokyo',
    value: '2027-07-01T09:00+00:00',
    at: '2027-07-01T09:00:00.000Z',
  },
  {
    name: 'a skipped local time is the first instant after the gap',
    source: gaps,
    timezone: 'America/New_York',
    value: '2027-03-14T02:30',
    at: '2027-03-14T07:00:00.000Z',
  },
  {
    name: 'a repeated local time is the first of the two',
    source: gaps,
    timezone: 'America/New_York',
    value: '2027-11-07T01:30',
    at: '2027-11-07T05:30:00.000Z',
  },
  {
    name: 'the last second before a gap is valid',
    source: gaps,
    timezone: 'America/New_York',
    value: '2027-03-14T01:59:59',
    at: '2027-03-14T06:59:59.000Z',
  },
  {
    name: 'a gap of half an hour ends after half an hour',
    source: gaps,
    timezone: 'Australia/Lord_Howe',
    value: '2027-10-03T02:15',
    at: '2027-10-02T15:30:00.000Z',
  },
  {
    name: 'a zone of three quarters of an hour',
    source: zones,
    timezone: 'Asia/Kathmandu',
    value: '2027-01-31T00:15',
    at: '2027-01-30T18:30:00.000Z',
  },
  {
    name: 'a zone whose clock is a day ahead',
    source: zones,
    timezone: 'Pacific/Kiritimati',
    value: '2026-11-21T03:00',
    at: '2026-11-20T13:00:00.000Z',
  },
  {
    name: 'a time that is past in UTC is still in the future further west',
    source: zones,
    timezone: 'Pacific/Honolulu',
    value: '2026-11-20T02:30',
    at: '2026-11-20T12:30:00.000Z',
  },
];

/** Times that are past on the clock of the zone. */
export const pastCases: readonly Omit<TimeCase, 'at'>[] = [
  {
    name: 'a time that is in the future in UTC is past further east',
    source: zones,
    timezone: 'Asia/Tokyo',
    value: '2026-11-20T20:30',
  },
];
