import { hostOf, type ModelSettings, nameOfSetting } from '../settings.js';
import type { Adaptation } from './adaptation.js';
import type { Ask, Notice, Piece } from './prompt.js';
import { hasImages } from './request.js';

/** Tells of abilities that this answer had to do without. */
export function* noticesOf(ask: Ask, adaptation: Adaptation, settings: ModelSettings): Generator<Piece, void> {
  const { lacks } = adaptation;
  if (lacks.has('tools') && (ask.tools ?? []).length > 0) yield notice('no_tools', adaptation.saidOf('tools'), settings);
  if (lacks.has('images') && hasImages(ask)) yield notice('no_images', adaptation.saidOf('images'), settings);
}

function notice(code: 'no_tools' | 'no_images', said: string, settings: ModelSettings): { type: 'notice' } & Notice {
  const ability = code === 'no_tools' ? 'tools' : 'images';
  const reason = said === '' ? 'its settings say so' : `it said: ${said.slice(0, 300)}`;
  const set = `If that is wrong, set ${ability} to true in ${nameOfSetting(settings, 'features')}`;
  return { type: 'notice', code, message: `The model '${settings.name}' at ${hostOf(settings)} takes no ${ability} (${reason}). ${set}` };
}
