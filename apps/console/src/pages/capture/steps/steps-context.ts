import type { FieldError } from '@capture-service/client';
import { createContext, useContext } from 'react';
import type { FormState } from '../form/form-state.js';

/** What the fields of the steps know of the form around them. */
export interface StepsForm {
  readonly form: FormState;
  /** What the service says against steps that are still the same. */
  readonly refused: readonly FieldError[];
  readonly set: (name: string, value: unknown) => void;
}

export const StepsContext = createContext<StepsForm | null>(null);

export function useStepsForm(): StepsForm {
  const form = useContext(StepsContext);
  if (!form) throw new Error('useStepsForm is called outside of the form of a capture');
  return form;
}
