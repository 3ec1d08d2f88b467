import type { ToolEffect } from '../../../kernel/contract/index.js';
import type { Mode } from '../../members/contract.js';

/** Whether a person is asked before a tool with this effect runs. */
export function asks(mode: Mode, effect: ToolEffect): boolean {
  if (effect === 'dangerous' || mode === 'supervised') return true;
  return mode === 'assistant' && effect === 'write';
}
