/** Answers of the AI employees in the pictures; see `startModel`. */
export const rules = [
  {
    when: /every morning/i,
    thinks: 'The orders come in overnight. A schedule at eight, Monday to Saturday, fits the opening hours.',
    says: 'I plan a schedule for this. It asks me each morning, and the answer comes into this conversation.',
    calls: [
      {
        name: 'schedules_create',
        input: {
          name: 'Open orders',
          trigger_type: 'cron',
          trigger_value: '0 8 * * 1-6',
          timezone: 'Europe/London',
          action: 'chat.send',
          params: { content: 'Which orders are open, and which of them are late?' },
        },
      },
    ],
    text: 'The schedule **Open orders** runs from Monday to Saturday at 8:00. The first answer comes tomorrow.',
  },
  {
    when: /harvest evening/i,
    says: 'I open the room with Ben and Grace in it.',
    calls: [{ name: 'sessions_create', input: { title: 'Harvest evening', target_type: 'room', member_ids: [] } }],
    text: 'The room **Harvest evening** is open.',
  },
  {
    when: /late orders/i,
    text: `Three orders are late, all of them from the same dairy:

| Order | Customer | Late since |
|---|---|---|
| 2041 | Café Marlow | Monday |
| 2044 | Green Table | Monday |
| 2052 | Harbour School | today |

The dairy delivers on Thursday again. I would offer the school another yoghurt, because its order is for tomorrow.`,
  },
  {
    when: /@ada\b/i,
    of: /orders of Harbour Foods/,
    text: `The dairy's van broke down on Monday, so **2041**, **2044** and **2052** wait for its goods. Everything else left on time.

- Next delivery: Thursday, 6:30
- Nearest other supplier: Hill Farm, 40 minutes away, has yoghurt in stock`,
    holds: true,
  },
  {
    when: /@otto\b/i,
    of: /vans of Harbour Foods/,
    text: 'Our second van is free tomorrow from 7:00. A trip to Hill Farm and on to the school takes until 8:45',
    holds: true,
  },
  { when: /short|answer with/i, text: 'Hello! I am ready.' },
];
