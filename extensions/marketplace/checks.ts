import type { BundleSignature, CheckedBundle, Permissions } from '../../kernel/contract/index.js';
import type { Check, PermissionChange, ReviewDetail } from './contract.js';
import { fits } from './newest.js';
import { contributionsOf } from './records.js';
import type { StoredVersion } from './store/version-row.js';

/** Version to compare with: the newest approved one. */
export type PreviousVersion = Pick<StoredVersion, 'version' | 'about' | 'signature'> | undefined;

interface CheckInput {
  bundle: Pick<CheckedBundle, 'manifest' | 'files' | 'unpacked_bytes' | 'left_out' | 'warnings'>;
  signature: BundleSignature | null;
  compared: PreviousVersion;
  platform_version: string;
}

/** Lists findings about a bundle that break no rule, for reviewers to judge. */
export function checksOf({ bundle, signature, compared, platform_version }: CheckInput): Check[] {
  const { manifest, files, unpacked_bytes } = bundle;
  const range = manifest.engines?.platform;
  const { added } = permissionChanges(compared?.about.permissions, manifest.permissions);
  const compareWith = compared ? ` compared with version ${compared.version}` : '';
  return [
    { code: 'archive', ok: true, message: `${counted(files.length, 'file')} with ${unpacked_bytes} bytes, within the limits` },
    { code: 'manifest', ok: true, message: `Valid; contributes ${counted(contributionsOf(manifest).operations.length, 'operation')}` },
    {
      code: 'engine',
      ok: fits(platform_version, range),
      message: range === undefined ? 'Names no version of the platform' : `For ${range}; this platform is ${platform_version}`,
    },
    {
      code: 'permissions',
      // A first version adds nothing to what somebody has accepted before.
      ok: compared === undefined || added.length === 0,
      message: permissionsMessage(added, compared).slice(0, 1_000),
    },
    signatureCheck(signatureChange(compared?.signature ?? null, signature), signature, compareWith),
    ...warningsOf(bundle),
  ];
}

/** Returns warnings: content that its author probably did not intend. */
function warningsOf({ left_out = [], warnings = [] }: CheckInput['bundle']): Check[] {
  const message = `Excluded ${counted(left_out.length, 'stray file')} of other programs: ${left_out.slice(0, 5).join(', ')}`;
  const found: Check[] = [];
  if (left_out.length > 0) found.push({ code: 'left_out', ok: false, message: truncated(message) });
  if (warnings.length > 0) found.push({ code: 'text', ok: false, message: truncated(warnings.join('. ')) });
  return found;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function truncated(text: string): string {
  return text.replace(/\p{Cc}/gu, '?').slice(0, 1_000);
}

function permissionsMessage(added: Parameters<typeof changeMessages>[0], compared: PreviousVersion): string {
  if (!compared) return added.length === 0 ? 'No permissions' : `First version; requests: ${changeMessages(added)}`;
  const beside = `compared with version ${compared.version}`;
  return added.length === 0 ? `No additional permissions ${beside}` : `Additional permissions ${beside}: ${changeMessages(added)}`;
}

/** Compares two signatures; `none` also if neither version is signed. */
export function signatureChange(before: BundleSignature | null, after: BundleSignature | null): ReviewDetail['signature_change'] {
  if (before === null) return after === null ? 'none' : 'added';
  if (after === null) return 'removed';
  return before.public_key === after.public_key ? 'none' : 'changed';
}

function signatureCheck(change: ReviewDetail['signature_change'], signature: BundleSignature | null, beside: string): Check {
  const signer = signature === null ? 'Not signed' : `Signed with the key ${signature.public_key}`;
  const ok = change === 'none' || change === 'added';
  return { code: 'signature', ok, message: ok ? signer : `${signer}; the signature was ${change}${beside}` };
}

/** Compares permissions with an earlier version; everything is added if there is none. */
export function permissionChanges(before: Permissions | undefined, after: Permissions | undefined): ReviewDetail['permissions'] {
  const [old, now] = [permissionList(before), permissionList(after)];
  const without = (list: readonly PermissionChange[], other: readonly PermissionChange[]) =>
    list.filter(({ permission, value }) => !other.some((each) => each.permission === permission && each.value === value));
  return { added: without(now, old), removed: without(old, now) };
}

/** Formats permissions in one line: `network: example.org` and the like. */
export function changeMessages(changes: readonly PermissionChange[]): string {
  return changes.map(({ permission, value }) => (value === 'true' ? permission : `${permission}: ${value}`)).join(', ');
}

function permissionList(permissions: Permissions = {}): PermissionChange[] {
  const all = Object.entries(permissions) as [keyof Permissions, boolean | readonly string[]][];
  return all.flatMap(([permission, value]) => {
    const values = value === true ? ['true'] : value === false ? [] : value;
    return values.map((each) => ({ permission, value: each }));
  });
}
