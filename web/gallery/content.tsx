import { LineChart, Sparkline } from '../kit/charts.js';
import { Code, Empty, Facts, Failed, Fold, Loading, Note, Section } from '../kit/index.js';
import { Markdown } from '../kit/markdown.js';

const text = `## A reply

Old **full** backups take most of it, see [the list](/nodes/3) or <https://example.org>. <script>alert(1)</script>

1. Stop the job with \`systemctl stop backup\`
2. Remove what is older than a month

   \`\`\`sh
   find /srv/backups -mtime +30 -name '*.full' -delete # only full ones
   \`\`\`

- [x] checked
- [ ] removed

| Backup | Size |
|---|---|
| full-2026-08-02 | 212 GB |

> @mara decides, ![a picture](https://example.org/x.png)

\`\`\`ts
export const answer = (question: string): number => question.length > 3 ? 42 : 0; // why
\`\`\`
`;

const start = Date.UTC(2026, 10, 27, 9);
const line = (phase: number) => Array.from({ length: 60 }, (_, i) => [start + i * 60_000, 40 + 25 * Math.sin(i / 6 + phase)] as const);

/** Text, figures and states of loading. */
export function Content() {
  return (
    <>
      <Section title="Markdown">
        <Markdown text={text} mentions={{ names: ['mara', 'iris'], me: 'mara' }} />
      </Section>
      <Section title="Figures">
        <LineChart
          label="CPU"
          unit="%"
          max={100}
          series={[
            { label: 'CPU', points: line(0) },
            { label: 'Memory', points: line(2) },
          ]}
        />
        <p>
          Tokens <Sparkline label="Tokens" values={[3, 5, 2, 8, 9, 4, 12]} />
        </p>
      </Section>
      <Section title="Messages">
        <Note title="Two people read this room">Its history becomes visible to them.</Note>
        <Note kind="ok" title="The model answered">
          In 0.8 seconds.
        </Note>
        <Note kind="warn" title="The disk is 94% full" />
        <Failed error={new Error('connect ECONNREFUSED 10.4.0.12:22')} again={() => undefined} />
        <Empty icon="node" title="No nodes yet" text="AI employees run commands on nodes." />
        <Fold title="Thought for 6 s" end="0.8 s" isOpen>
          <Code text={'df -h /srv\n/dev/sdb1  2.2T  2.1T   94% /srv'} label="Output" />
        </Fold>
        <Loading lines={2} />
        <Facts
          items={[
            ['Address', <Code key="address" isInline text="backup@10.4.0.12:22" />],
            ['Engine', 'Docker 29.1'],
          ]}
        />
      </Section>
    </>
  );
}
