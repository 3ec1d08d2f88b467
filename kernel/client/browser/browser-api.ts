import type { FileAnswer } from '../../contract/operation.js';
import type { NamedBlob, Upload } from '../form.js';
import type { BrowserFile } from './reply.js';

/** A file as handlers receive it. */
interface ReceivedFile {
  path: string;
  bytes: number;
}

type BrowserInput<Input> = Input extends { file: ReceivedFile } ? Omit<Input, 'file'> & { file: NamedBlob | Upload } : Input;

type BrowserAnswer<Answer> = Answer extends FileAnswer ? BrowserFile : Answer;

/** The operations as pages call them: uploads take a `File`, and files are answered as a `Blob`. */
export type BrowserApi<Api extends object> = {
  [Id in keyof Api]: Api[Id] extends { input: infer Input; answer: infer Answer }
    ? { input: BrowserInput<Input>; answer: BrowserAnswer<Answer> }
    : Api[Id];
};
