import { Value } from './value.js';

export interface Question {
  title: string;
  text?: string;
  /** Label of the button that goes on. */
  confirm: string;
  danger?: boolean;
  /** A name that must be typed first, for what can't be undone. */
  name?: string;
}

export interface OpenQuestion extends Question {
  answer: (yes: boolean) => void;
}

/** The questions that wait for an answer; the shell asks the first. */
export const questions = new Value<readonly OpenQuestion[]>([]);

/** Asks the member; resolves with whether to go on. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const open: OpenQuestion = {
      ...question,
      answer(yes) {
        questions.update((before) => before.filter((each) => each !== open));
        resolve(yes);
      },
    };
    questions.update((before) => [...before, open]);
  });
}
