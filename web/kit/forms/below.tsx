import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Text } from 'react-aria-components/Text';

/** Shows the help or the error of a field that is made of React Aria's parts. */
export function Below({ help, error }: { help?: ReactNode; error?: ReactNode }) {
  return (
    <>
      {help !== undefined && !error && (
        <Text slot="description" className="kit-field-help">
          {help}
        </Text>
      )}
      <FieldError className="kit-field-error">{error}</FieldError>
    </>
  );
}

/** Returns how a field of React Aria is marked. An error that comes from the server must not keep the form from being sent once more. */
export function validityOf(error: ReactNode): { isInvalid: boolean; validationBehavior: 'aria' | 'native' } {
  return error ? { isInvalid: true, validationBehavior: 'aria' } : { isInvalid: false, validationBehavior: 'native' };
}
