import t from 'tap';
import { triggerCodes } from '../../../../extensions/schedules/triggers/codes.js';
import { type TriggerSpec, triggerOf } from '../../../../extensions/schedules/triggers/trigger.js';
import { type Failure, isFailure } from '../../../../kernel/contract/index.js';

const now = Date.UTC(2026, 10, 20);

function refusal(spec: Partial<TriggerSpec>, anchor = now): Failure {
  try {
    triggerOf({ trigger_type: 'cron', trigger_value: '0 9 * * *', timezone: 'UTC', ...spec }, anchor);
  } catch (thrown) {
    if (isFailure(thrown)) return thrown;
    throw thrown;
  }
  throw new Error(`${JSON.stringify(spec)} was taken`);
}

/** Expressions, and a part of the sentence that says what is wrong. */
const expressions: readonly [string, string][] = [
  ['', 'five fields'],
  ['   ', 'five fields'],
  ['*', 'five fields'],
  ['* * * *', 'has 4'],
  ['* * * * * *', 'has 6'],
  ['0 0 0 1 1 * 2027', 'has 7'],
  ['@daily', 'five fields'],
  ['@reboot', 'five fields'],
  ['@every 5m', 'five fields'],
  ['60 * * * *', "'60' is not one of 0 to 59"],
  ['-1 * * * *', "'-1' is not a value"],
  ['100 * * * *', "'100' is not one of 0 to 59"],
  ['007 * * * *', "'007' is not one of"],
  ['1.5 * * * *', 'not a value'],
  ['0x10 * * * *', "'0x10' is not one of"],
  ['1e1 * * * *', "'1e1' is not one of"],
  ['+5 * * * *', 'not a value'],
  ['٣ * * * *', 'not a value'],
  ['５ * * * *', 'not a value'],
  ['* 24 * * *', "'24' is not one of 0 to 23"],
  ['* * 0 * *', "'0' is not one of 1 to 31"],
  ['* * 32 * *', "'32' is not one of 1 to 31"],
  ['* * * 0 *', "'0' is not one of 1 to 12 or JAN to DEC"],
  ['* * * 13 *', "'13' is not one of 1 to 12"],
  ['* * * * 8', "'8' is not one of 0 to 7 or SUN to SAT"],
  ['*/0 * * * *', 'the step 0'],
  ['*/61 * * * *', 'the step 61 is not one of 1 to 60'],
  ['*/90 * * * *', 'the step 90'],
  ['* */25 * * *', 'the step 25'],
  ['* * */32 * *', 'the step 32'],
  ['* * * */13 *', 'the step 13'],
  ['* * * * */9', 'the step 9'],
  ['*/-5 * * * *', 'not a value'],
  ['*/a * * * *', 'not a value'],
  ['*/ * * * *', 'not a value'],
  ['*/5/5 * * * *', 'not a value'],
  ['/5 * * * *', 'not a value'],
  ['5/15 * * * *', 'such as 5-59/15'],
  ['* * * JAN/2 *', 'needs a range'],
  ['30-10 * * * *', 'ends before it begins'],
  ['* 22-2 * * *', 'ends before it begins'],
  ['* * * NOV-FEB *', 'ends before it begins'],
  ['* * * * FRI-MON', 'ends before it begins'],
  ['* * * * SAT-SUN', 'ends before it begins'],
  ['* * * * 6-1', 'ends before it begins'],
  ['1- * * * *', 'not a value'],
  ['-5 * * * *', 'not a value'],
  ['1-2-3 * * * *', 'not a value'],
  ['1--2 * * * *', 'not a value'],
  ['*-5 * * * *', 'not a value'],
  ['5-* * * * *', 'not a value'],
  ['** * * * *', 'not a value'],
  ['*5 * * * *', 'not a value'],
  [', * * * *', 'not a value'],
  ['1, * * * *', 'not a value'],
  [',1 * * * *', 'not a value'],
  ['1,,2 * * * *', 'not a value'],
  ['1, 2 * * * *', 'has 6'],
  ['1;2 * * * *', 'not a value'],
  ['0-60 * * * *', "'60' is not one of"],
  ['MON * * * *', "'MON' is not one of 0 to 59"],
  ['* * * MON *', "'MON' is not one of 1 to 12"],
  ['* * * * JAN', "'JAN' is not one of 0 to 7"],
  ['* * * JANUARY *', "'JANUARY' is not one of"],
  ['* * * * MONDAY', "'MONDAY' is not one of"],
  ['* * * * MO', "'MO' is not one of"],
  ['* * L * *', "'L' is not one of"],
  ['* * L-3 * *', "'L' is not one of"],
  ['* * 15W * *', "'15W' is not one of"],
  ['* * LW * *', "'LW' is not one of"],
  ['* * * * 5L', "'5L' is not one of"],
  ['* * * * MON#1', 'not a value'],
  ['* * * * 1#1', 'not a value'],
  ['? * * * *', 'not a value'],
  ['* * ? * *', 'not a value'],
  ['* * * * ?', 'not a value'],
  ['H * * * *', "'H' is not one of"],
  ['H/15 * * * *', 'needs a range'],
  ['~ * * * *', 'not a value'],
  ['0~30 * * * *', 'not a value'],
  ['R * * * *', "'R' is not one of"],
  ['* * * * *\n', 'not a value'],
  ['*\n* * * *', 'has 4'],
  ['*\u00a0* * * *', 'has 4'],
  ['* * * * constructor', "'constructor' is not one of"],
  ['CRON_TZ=UTC * * * * *', 'has 6'],
  ['TZ=UTC * * * *', 'not a value'],
];

t.test('expressions outside the grammar are rejected', async (t) => {
  t.ok(expressions.length >= 60);
  for (const [trigger_value, part] of expressions) {
    const failure = refusal({ trigger_value });
    t.match(failure, { code: 'trigger_invalid', status: 400, details: [{ path: 'trigger_value' }] }, trigger_value);
    t.ok(failure.details?.[0]?.message.includes(part), `${trigger_value}: ${failure.message}`);
  }
});

t.test('each invalid field of an expression is reported once', async (t) => {
  const { details } = refusal({ trigger_value: '60,61 24 0 13 8,9' });
  t.same(
    details?.map(({ message }) => message),
    [
      "In the minute '60,61', '60' is not one of 0 to 59",
      "In the hour '24', '24' is not one of 0 to 23",
      "In the day of month '0', '0' is not one of 1 to 31",
      "In the month '13', '13' is not one of 1 to 12 or JAN to DEC",
      "In the day of week '8,9', '8' is not one of 0 to 7 or SUN to SAT",
    ],
  );
});

t.test('expressions that never run are rejected', async (t) => {
  const never = [
    '0 0 30 2 *',
    '0 0 31 2 *',
    '0 0 31 4 *',
    '0 0 31 4,6,9,11 *',
    '0 0 30,31 FEB *',
    '* * 31 2,4,6 *',
    '0 0 30-31 2 */2',
    '0 0 31 APR *',
  ];
  for (const trigger_value of never) {
    const failure = refusal({ trigger_value });
    t.match(failure, { code: 'never_runs', status: 400, details: [{ path: 'trigger_value' }] }, trigger_value);
  }
  t.equal(
    refusal({ trigger_value: '0 0 29 2 */7' }, Date.UTC(2033, 0)).code,
    'never_runs',
    '29 February is a Sunday in 2032, then in 2060',
  );
  t.equal(refusal({ trigger_value: '0 0 30 2 *', timezone: 'Asia/Kolkata' }).code, 'never_runs');
  t.same(Object.entries(triggerCodes), [
    ['trigger_invalid', 400],
    ['never_runs', 400],
  ]);
});

t.test('invalid intervals are rejected', async (t) => {
  const values = [
    '',
    'm',
    '0m',
    '0h',
    '5',
    '5s',
    '5d',
    '1.5h',
    '-5m',
    '+5m',
    ' 5m',
    '5m ',
    '5 m',
    '5M',
    '1h30m',
    '5min',
    'PT5M',
    '1e3m',
    '٣m',
    '527041m',
    '8785h',
    `${'9'.repeat(100)}h`,
    '5m\n',
  ];
  for (const trigger_value of values) {
    const failure = refusal({ trigger_type: 'interval', trigger_value });
    t.match(failure, { code: 'trigger_invalid', status: 400, details: [{ path: 'trigger_value' }] }, trigger_value);
  }
});

t.test('invalid single times are rejected', async (t) => {
  const values = [
    '',
    'tomorrow',
    '2026',
    '2026-11-20',
    '2026-11-20T08',
    '2026-11-20 08:30',
    '2026-11-20t08:30Z',
    '2026-11-20T08:30z',
    '20261120T083000Z',
    '2026-W47-5T08:30',
    '2026-02-30T08:30:00Z',
    '2026-02-29T08:30:00Z',
    '2100-02-29T08:30:00Z',
    '2026-04-31T08:30',
    '2026-13-01T08:30',
    '2026-00-10T08:30',
    '2026-11-00T08:30',
    '2026-11-20T24:00',
    '2026-11-20T25:00',
    '2026-11-20T08:60',
    '2026-11-20T08:30:60',
    '2026-11-20T08:30:00.',
    '2026-11-20T08:30:00,5',
    '2026-11-20T08:30:00.1234567890',
    '2026-11-20T08:30+24:00',
    '2026-11-20T08:30+02:60',
    '2026-11-20T08:30+2',
    '2026-11-20T08:30+02',
    '2026-11-20T08:30 Z',
    '2026-11-20T08:30[UTC]',
    '0000-01-01T00:00',
    '0099-01-01T00:00',
    '+012026-11-20T08:30',
    '-2026-11-20T08:30',
    ' 2026-11-20T08:30',
    '2026-11-20T08:30\n',
    '1732092600',
    '2026-11-20T8:30',
    '2026-1-2T08:30',
  ];
  for (const trigger_value of values) {
    const failure = refusal({ trigger_type: 'once', trigger_value });
    t.match(failure, { code: 'trigger_invalid', status: 400, details: [{ path: 'trigger_value' }] }, trigger_value);
  }
});

t.test('invalid time zones are rejected', async (t) => {
  const zones = [
    '',
    ' ',
    'Z',
    '+02:00',
    '-05',
    'UTC+2',
    'GMT+2',
    'CEST',
    'BST',
    'PST',
    'local',
    'Berlin',
    'Europe/Bonn',
    'Europe',
    'Europe/',
    '/Berlin',
    'Europe/Berlin ',
    '../etc/passwd',
    'Mars/Olympus',
    `A/${'b'.repeat(300)}`,
  ];
  for (const timezone of zones) {
    const failure = refusal({ timezone });
    t.match(failure, { code: 'trigger_invalid', status: 400, details: [{ path: 'timezone' }] }, timezone);
    t.ok(failure.message.length < 200);
  }
  t.equal(
    refusal({ timezone: 'Nowhere/City', trigger_type: 'interval', trigger_value: '5m' }).code,
    'trigger_invalid',
    "an interval's zone is checked too",
  );
});

t.test('faults of value and zone are reported together, and a long value is not parsed', async (t) => {
  const both = refusal({ trigger_value: '60 * * * *', timezone: 'Nowhere' });
  t.same(
    both.details?.map(({ path }) => path),
    ['trigger_value', 'timezone'],
  );
  for (const trigger_type of ['cron', 'interval', 'once'] as const) {
    const long = refusal({ trigger_type, trigger_value: `${'1,'.repeat(1_000_000)}1 * * * *` });
    t.same(long.details, [{ path: 'trigger_value', message: 'The value is longer than 200 characters' }]);
  }
});
