import { AssertionError } from 'node:assert';
import { Failure, type Fault, isFailure } from '../../contract/failure.js';

/** A serialised error: a failure keeps its code, anything else is a crash. */
export type Thrown = { failure: FailureData } | { crash: CrashData };

interface FailureData {
  code: string;
  message: string;
  status: number;
  details?: readonly Fault[] | undefined;
  retry_after?: number | undefined;
}

interface CrashData {
  name: string;
  message: string;
  stack: string;
}

const message_length = 2_000;
const stack_length = 8_000;
const fault_count = 100;

/** Serialises a thrown value. */
export function writeThrown(thrown: unknown): Thrown {
  if (isFailure(thrown)) {
    const { code, status, details, retry_after } = thrown;
    const failure = { code, message: cut(thrown.message), status, details: details?.slice(0, fault_count), retry_after };
    // A malformed failure is a bug, and becomes a crash.
    if (isFailureData(failure)) return { failure };
  }
  if (!(thrown instanceof Error)) return { crash: { name: 'Error', message: cut(String(thrown)), stack: '' } };
  const { name, message, stack = '' } = thrown;
  return { crash: { name: String(name).slice(0, 100), message: cut(String(message)), stack: String(stack).slice(0, stack_length) } };
}

/**
 * Serialises a thrown value for a plugin: hides the details of the platform's crashes, except assertions, which
 * report a wrong call.
 */
export function writeThrownForPlugin(thrown: unknown): Thrown {
  if (isFailure(thrown) || thrown instanceof AssertionError) return writeThrown(thrown);
  return { crash: { name: 'Error', message: 'Internal error of the platform; see the server log', stack: '' } };
}

/** Deserialises an error; a crash becomes an ordinary error with the stack of its process. */
export function readThrown(thrown: Thrown): Error {
  if ('failure' in thrown) {
    const { code, message, ...options } = thrown.failure;
    return new Failure(code, message, options);
  }
  const { name, message, stack } = thrown.crash;
  const error = new Error(message);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  if (stack !== '') error.stack = stack;
  return error;
}

/** Returns whether a parsed value is a serialised error. */
export function isThrown(value: unknown): value is Thrown {
  if (!isObject(value)) return false;
  return isObject(value.failure) ? isFailureData(value.failure) : isObject(value.crash) && isCrashData(value.crash);
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const isText = (value: unknown, length: number) => typeof value === 'string' && value.length <= length;

function isFailureData({ code, message, status, details, retry_after }: Fields): boolean {
  if (typeof code !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(code) || !isText(message, message_length)) return false;
  if (!Number.isInteger(status) || (status as number) < 400 || (status as number) > 599) return false;
  if (retry_after !== undefined && (!Number.isInteger(retry_after) || (retry_after as number) < 0)) return false;
  return details === undefined || (Array.isArray(details) && details.length <= fault_count && details.every(isFault));
}

function isFault(value: unknown): boolean {
  return isObject(value) && isText(value.path, message_length) && isText(value.message, message_length);
}

function isCrashData({ name, message, stack }: Fields): boolean {
  return isText(name, 100) && isText(message, message_length) && isText(stack, stack_length);
}

function cut(text: string): string {
  return text.length <= message_length ? text : `${text.slice(0, message_length - 1)}…`;
}
