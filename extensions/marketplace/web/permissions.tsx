import { useFormat, useTexts } from '@platform/kit';
import type { Permissions } from '../../../kernel/contract/manifest.js';
import { catalogue } from './texts/index.js';

/** Says in plain words what a plugin may do. */
export function PermissionList({ permissions }: { permissions: Permissions }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  const { operations = [], events = [], network = [], storage, env = [], public_routes } = permissions;
  const lines = [
    operations.length > 0 && text.mayCall(format.list(operations)),
    events.length > 0 && text.mayHear(format.list(events)),
    network.length > 0 && text.mayReach(format.list(network)),
    storage && text.mayStore,
    env.length > 0 && text.mayRead(format.list(env)),
    public_routes && text.mayAnswer,
  ].filter((line) => typeof line === 'string');
  if (lines.length === 0) return <p className="marketplace-note">{text.mayNothing}</p>;
  return (
    <ul className="marketplace-permissions">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
