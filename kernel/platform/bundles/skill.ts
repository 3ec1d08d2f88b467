import joi from 'joi';
import { exact } from '../../core/host/exact-schema.js';
import { fail } from './codes.js';
import { front_matter_bytes } from './limits.js';
import { readFrontMatter } from './skill-source.js';

/** A parsed `SKILL.md` (https://agentskills.io/specification). */
export interface Skill {
  /** Lower-case words joined by dashes, at most 64 characters. */
  name: string;
  /** Purpose and when to use it; at most 1,024 characters. */
  description: string;
  license?: string;
  /** Required environment; at most 500 characters. */
  compatibility?: string;
  /** At most 100 entries. Values other than text are converted to JSON. */
  metadata?: Readonly<Record<string, string>>;
  /** Tools that it requests to use without approval. Permission is decided elsewhere. */
  allowed_tools?: readonly string[];
  /** The instructions in Markdown, without the front matter. */
  body: string;
}

const text = (max: number) =>
  joi.string().custom((value: string) => {
    if (Array.from(value).length > max) throw new Error(`must have at most ${max} characters`);
    if (/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/u.test(value)) throw new Error('must not have control characters');
    return value;
  });

const schema = exact<Skill>({
  name: joi
    .string()
    .max(64)
    .pattern(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .required(),
  description: text(1024).required(),
  license: text(1000),
  compatibility: text(500),
  metadata: joi.object().pattern(joi.string().max(200), text(10_000).allow('')).max(100),
  allowed_tools: joi.array().items(text(500)).max(200),
  body: joi.string().allow('').required(),
});

/**
 * Parses a `SKILL.md`. Ignores keys that the standard doesn't define.
 *
 * @throws `skill_invalid` with all faults and their paths
 */
export async function parseSkill(source: string): Promise<Skill> {
  return (await readSkillText(source)).skill;
}

/** Parses a `SKILL.md` with warnings about values that are probably unintended. */
export async function readSkillText(source: string): Promise<{ skill: Skill; warnings: readonly string[] }> {
  const { front, body } = divided(source);
  const { values, warnings } = await readFrontMatter(front);
  const { value, error } = schema.validate(skillOf(values, body), { abortEarly: false, convert: false });
  if (!error) return { skill: value, warnings };
  const details = error.details.map(({ path, message }) => ({ path: path.join('.').replace('allowed_tools', 'allowed-tools'), message }));
  throw fail('skill_invalid', `The front matter of SKILL.md is not valid: ${error.message}`, { details });
}

function divided(source: string): { front: string; body: string } {
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(source);
  if (opening === null) throw fail('skill_invalid', "SKILL.md must begin with a line '---' and its front matter");
  const rest = source.slice(opening[0].length);
  const closing = /^---[ \t]*$/m.exec(rest.replaceAll('\r\n', ' \n'));
  if (closing === null) throw fail('skill_invalid', "The front matter of SKILL.md has no end: a line '---' is missing");
  const front = rest.slice(0, closing.index);
  if (Buffer.byteLength(front) > front_matter_bytes) {
    throw fail('skill_invalid', `The front matter of SKILL.md has more than ${front_matter_bytes} bytes`);
  }
  return { front, body: rest.slice(closing.index + closing[0].length).replace(/^[ \t]*(\r?\n)?/, '') };
}

function skillOf(said: Readonly<Record<string, unknown>>, body: string): Record<string, unknown> {
  const { name, description, license, compatibility, metadata, 'allowed-tools': tools } = said;
  const given = {
    name,
    description: trimmed(description),
    license,
    compatibility,
    metadata: texts(metadata),
    allowed_tools: toolsOf(tools),
  };
  return { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== '')), body };
}

const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : value);

function texts(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return metadata;
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Splits tools at spaces or commas, except within parentheses: `Bash(git add:*) Read`. A list stays as it is. */
function toolsOf(tools: unknown): unknown {
  return typeof tools === 'string' ? (tools.match(/(?:[^\s,(]|\([^)]*\))+/g) ?? []) : tools;
}
