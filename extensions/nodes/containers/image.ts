import type { Fault } from '../../../kernel/contract/index.js';

// https://github.com/distribution/reference: domain/path:tag@digest, where a path is lower case.
const label = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]{1,5})?`;
const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const reference = new RegExp(
  `^(?<name>(?:${domain}/)?${part}(?:/${part})*)(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>sha256:[a-f0-9]{64}))?$`,
);
const max_name_length = 255;

/** Image reference for a registry. */
export interface Image {
  /** Full reference; `:latest` is added if it has neither tag nor digest. */
  reference: string;
  /** Name without tag and digest. */
  name: string;
  /** Digest if there is one, otherwise the tag. */
  version: string;
}

/**
 * Parses a reference such as `python:3.12-slim` or `registry.example.org:5000/team/work@sha256:…`, or explains what is
 * wrong with it. Without tag and digest it means `latest`, not every tag.
 */
export function imageOf(text: string): Image | { fault: Fault } {
  const found = text.length <= max_name_length + 200 ? reference.exec(text)?.groups : undefined;
  const { name, tag, digest } = found ?? {};
  // Sixty-four hexadecimal digits are an image id.
  if (name === undefined || name.length > max_name_length || /^[a-f0-9]{64}$/.test(name)) return invalidReference;
  const version = digest ?? tag ?? 'latest';
  return { reference: tag === undefined && digest === undefined ? `${name}:latest` : text, name, version };
}

const invalidReference = {
  fault: {
    path: 'config.image',
    message: '"config.image" must be an image reference, such as python:3.12-slim or registry.example.org/team/work:1',
  },
};
