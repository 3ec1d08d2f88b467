import {
  Badge,
  type BadgeKind,
  Button,
  Card,
  Code,
  Dialog,
  Empty,
  Facts,
  Failed,
  Fold,
  Icon,
  jsonText,
  LinkButton,
  Loading,
  Note,
  Page,
  Section,
  TextArea,
  Time,
  useFormat,
  useGo,
  useKept,
  useRoute,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import { Select, Table } from '@platform/kit/forms';
import { Markdown } from '@platform/kit/markdown';
import { useState } from 'react';
import type { PermissionChange, Review, ReviewDetail, VersionStatus } from '../contract.js';
import { api } from './api.js';
import { PermissionList } from './permissions.js';
import { catalogue } from './texts/index.js';

const kinds: Readonly<Record<VersionStatus, BadgeKind>> = { under_review: 'warn', approved: 'ok', rejected: 'danger', yanked: 'danger' };
const statuses = Object.keys(kinds) as VersionStatus[];
const reads = ['marketplace.reviews', 'marketplace.review', 'marketplace.search'];

/** Shows the published versions, those that wait first. */
export function Reviews() {
  const text = useTexts(catalogue);
  const go = useGo();
  const [status, setStatus] = useKept<VersionStatus | ''>('marketplace.reviews.status', 'under_review');
  const { data, error, again } = api.useRead(
    'marketplace.reviews',
    { limit: 100, offset: 0, ...(status !== '' && { status }) },
    { on: ['notification'], keep: true },
  );
  return (
    <>
      <div className="marketplace-filter">
        <Select
          label={text.state}
          hidesLabel
          options={[{ id: '', label: text.all }, ...statuses.map((id) => ({ id, label: text.statuses[id] }))]}
          value={status}
          onChange={(next) => setStatus(next as VersionStatus | '')}
        />
      </div>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={5} /> : undefined}
      {data ? (
        <Table<Review>
          label={text.reviews}
          rows={data.items}
          idOf={({ id, version }) => `${id} ${version}`}
          onOpen={({ id, version }) => go(`/marketplace/reviews/${id}/${version}`)}
          empty={<Empty icon="ok" title={text.noReviews} />}
          columns={[
            { id: 'name', label: text.name, show: ({ name }) => name, sortBy: ({ name }) => name },
            { id: 'version', label: text.version, show: ({ version }) => version },
            { id: 'type', label: text.kind, show: ({ type }) => text.types[type], isExtra: true },
            { id: 'by', label: text.publisher, show: ({ publisher, source }) => publisher?.username ?? source ?? '–', isExtra: true },
            { id: 'state', label: text.state, show: ({ status: each }) => <Badge kind={kinds[each]}>{text.statuses[each]}</Badge> },
            {
              id: 'at',
              label: text.published,
              show: ({ created_at }) => <Time iso={created_at} ago />,
              sortBy: ({ created_at }) => created_at,
              isExtra: true,
            },
          ]}
        />
      ) : undefined}
    </>
  );
}

/** Shows one version to a reviewer: its files, and what it may do more than the version before. */
export function ReviewPage() {
  const { id = '', version = '' } = useRoute().params;
  const { data, error, again } = api.useRead('marketplace.review', { id, version });
  return (
    <Page
      title={data ? `${data.name} ${version}` : id}
      {...(data && { text: data.description, actions: <Decision review={data} /> })}
      back="/marketplace/reviews"
    >
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={8} /> : undefined}
      {data ? <Detail review={data} /> : undefined}
    </Page>
  );
}

function Decision({ review: { id, version, status, content_hash } }: { review: ReviewDetail }) {
  const text = useTexts(catalogue);
  const [asked, setAsked] = useState<'reject' | 'yank'>();
  const approve = api.useWrite('marketplace.approve', { reads, done: text.wasApproved });
  return (
    <>
      {status === 'under_review' ? (
        <>
          <Button onClick={() => setAsked('reject')}>{text.reject}</Button>
          {/* The hash makes sure that what was shown is what is approved. */}
          <Button kind="primary" icon="check" isBusy={approve.isRunning} onClick={() => void approve.run({ id, version, content_hash })}>
            {text.approve}
          </Button>
        </>
      ) : undefined}
      {status === 'approved' ? (
        <>
          <LinkButton icon="download" to={`/marketplace/extensions/${id}`}>
            {text.toInstall}
          </LinkButton>
          <Button kind="danger" onClick={() => setAsked('yank')}>
            {text.yank}
          </Button>
        </>
      ) : undefined}
      {asked ? <ReasonDialog id={id} version={version} what={asked} onClose={() => setAsked(undefined)} /> : undefined}
    </>
  );
}

function ReasonDialog({ id, version, what, onClose }: { id: string; version: string; what: 'reject' | 'yank'; onClose: () => void }) {
  const text = useTexts(catalogue);
  const [reason, setReason] = useState('');
  const write = api.useWrite(`marketplace.${what}`, { reads });
  const { error } = write;
  useUnsaved(reason !== '');
  const send = async () => {
    if (await write.run({ id, version, reason: reason.trim() })) onClose();
  };
  return (
    <Dialog
      title={what === 'reject' ? text.reject : text.yank}
      isOpen
      isFirm
      onClose={onClose}
      onSubmit={() => void send()}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="danger" type="submit" isBusy={write.isRunning} disabled={reason.trim() === ''}>
            {what === 'reject' ? text.reject : text.yank}
          </Button>
        </>
      }
    >
      {error ? <Failed error={error} /> : undefined}
      <TextArea
        label={text.reason}
        help={what === 'reject' ? text.rejectHelp : text.yankHelp}
        value={reason}
        onChange={setReason}
        rows={3}
        required
      />
    </Dialog>
  );
}

function Detail({ review }: { review: ReviewDetail }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  const { permissions, compared_with, manifest, files, readme, checks, signed_by, signature, signature_change, publisher, source } = review;
  return (
    <>
      {checks
        .filter(({ ok }) => !ok)
        .map(({ code, message }) => (
          <Note key={`${code} ${message}`} kind="warn">
            {message}
          </Note>
        ))}
      {review.reason === null ? undefined : <Note kind="info">{review.reason}</Note>}
      <Card>
        <Facts
          items={[
            [
              text.state,
              <Badge key="state" kind={kinds[review.status]}>
                {text.statuses[review.status]}
              </Badge>,
            ],
            [text.kind, text.types[review.type]],
            [text.author, review.author],
            [text.publisher, publisher?.username ?? source],
            [text.published, <Time key="at" iso={review.created_at} />],
            [text.signedBy, signed_by ?? (signature === null ? text.unsigned : text.unknownKey)],
            [text.signatureChange, signature_change === 'none' ? undefined : text.signatureChanges[signature_change]],
            [text.size, `${format.bytes(review.bytes)}, ${text.unpacked(format.bytes(review.unpacked_bytes))}`],
            [text.hash, <code key="hash">{review.content_hash}</code>],
          ]}
        />
      </Card>
      <Section title={text.mayDo} text={compared_with === null ? text.firstVersion : text.comparedWith(compared_with)}>
        <PermissionList permissions={manifest.permissions ?? {}} />
        {compared_with === null ? undefined : (
          <>
            <Changes title={text.added} icon="add" changes={permissions.added} />
            <Changes title={text.removed} icon="close" changes={permissions.removed} />
          </>
        )}
      </Section>
      <Section title={text.files}>
        <ul className="marketplace-files">
          {files.map(({ name, bytes }) => (
            <li key={name}>
              <code>{name}</code> <span className="marketplace-note">{format.bytes(bytes)}</span>
            </li>
          ))}
        </ul>
      </Section>
      <Fold title="manifest.json">
        <Code text={jsonText(manifest)} />
      </Fold>
      {readme === '' ? undefined : (
        <Section title={text.readme}>
          <Markdown text={readme} />
        </Section>
      )}
    </>
  );
}

function Changes({ title, icon, changes }: { title: string; icon: 'add' | 'close'; changes: readonly PermissionChange[] }) {
  if (changes.length === 0) return undefined;
  return (
    <>
      <p className="marketplace-strong">{title}</p>
      <ul className="marketplace-checks">
        {changes.map(({ permission, value }) => (
          <li key={`${permission} ${value}`}>
            <Icon name={icon} /> <code>{permission}</code> {value === 'true' ? undefined : <code>{value}</code>}
          </li>
        ))}
      </ul>
    </>
  );
}
