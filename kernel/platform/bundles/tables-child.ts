/**
 * The child process that evaluates an author's tables: receives their bundles on standard input, and writes the contributions to file
 * descriptor 3. It may read only the platform's code and Joi.
 */
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { Root } from 'joi';
import * as contract from '../../contract/index.js';
import { operationData } from '../../core/host/operation-data.js';
import { contributionsOf, type Tables } from './contributions.js';

export interface TablesRequest {
  /** Real path of Joi: no other path may be read. */
  joi: string;
  codes: readonly string[];
  /** The bundle of the table of failure codes; undefined if there is none. */
  failures?: string | undefined;
}

function evaluate(code: string): object {
  const module = { exports: {} };
  const limitedRequire = (name: string) => {
    if (name === 'platform/contract') return contract;
    throw new Error(`a table is data and can't import '${name}'`);
  };
  compileFunction(code, ['exports', 'require', 'module'])(module.exports, limitedRequire, module);
  return module.exports;
}

/** Returns the failure codes of a table; undefined if the file is something else, which only `activate` needs. */
function failureCodes(code: string | undefined): string[] | undefined {
  try {
    const { codes } = (code === undefined ? {} : evaluate(code)) as { codes?: unknown };
    return typeof codes === 'object' && codes !== null ? Object.keys(codes) : undefined;
  } catch {
    return undefined;
  }
}

function answer(): object {
  try {
    const { joi, codes, failures } = JSON.parse(readFileSync(0, 'utf8')) as TablesRequest;
    const j = createRequire(import.meta.url)(joi) as Root;
    const tables = Object.assign({}, ...codes.map(evaluate)) as Tables;
    return { contributes: contributionsOf(tables, (operation) => operationData(j, operation)), codes: failureCodes(failures) };
  } catch (fault) {
    return { error: fault instanceof Error ? fault.message : String(fault) };
  }
}

const bytes = Buffer.from(JSON.stringify(answer()));
for (let at = 0; at < bytes.length; ) at += writeSync(3, bytes, at);
// Ends everything that a table has left running.
process.exit(0);
