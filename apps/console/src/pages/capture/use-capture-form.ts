import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { useSearch } from 'wouter';
import { useApi } from '../../api/client.js';
import { useDevices } from './fields/list-fields.js';
import { linkedForm, optionsIn, type LinkedForm } from './form/form-link.js';
import {
  EMPTY_FORM,
  formOf,
  setOption,
  setTarget,
  setText,
  type FormState,
  type Target,
} from './form/form-state.js';

export interface CaptureForm {
  readonly form: FormState;
  /** What a link to the form could not bring along. */
  readonly linked: LinkedForm | undefined;
  set(name: string, value: unknown): void;
  setTarget(target: Target): void;
  setText(text: string): void;
  load(linked: LinkedForm): void;
}

/** The form, which stays while the person visits other pages, and which links restore. */
export function useCaptureForm(): CaptureForm {
  const draft = useDraft();
  const { data: devices } = useDevices();
  const [form, setForm] = useState<FormState>(() => draft.read() ?? EMPTY_FORM);
  const [linked, setLinked] = useState<LinkedForm>();
  const load = useCallback((next: LinkedForm) => {
    setLinked(next);
    setForm(formOf(next.values));
  }, []);
  useLinkedOptions((text) => load(linkedForm(text)));
  useEffect(() => draft.write(form));
  return {
    form,
    linked,
    load,
    set: useCallback(
      (name, value) => setForm((current) => setOption(current, { name, value, devices })),
      [devices],
    ),
    setTarget: useCallback((target) => setForm((current) => setTarget(current, target)), []),
    setText: useCallback((text) => setForm((current) => setText(current, text)), []),
  };
}

/** The form as the person left it; each account has its own. */
function useDraft() {
  const queries = useQueryClient();
  const { keyId } = useApi();
  const key = ['capture-form', keyId, 'draft'];
  return {
    read: () => queries.getQueryData<FormState>(key),
    write: (form: FormState) => {
      queries.setQueryDefaults(key, { gcTime: Infinity });
      queries.setQueryData(key, form);
    },
  };
}

/** Loads the options of the address, now and whenever it has others. */
function useLinkedOptions(load: (text: string) => void): void {
  const text = optionsIn(useSearch(), useHash());
  const [loaded, setLoaded] = useState<string>();
  if (text === undefined || text === loaded) return;
  setLoaded(text);
  load(text);
}

function useHash(): string {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener('hashchange', listener);
      return () => window.removeEventListener('hashchange', listener);
    },
    () => location.hash,
  );
}
