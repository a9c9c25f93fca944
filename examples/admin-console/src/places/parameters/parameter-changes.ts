import { dataOf, RefusedError } from '@sallyport/api-client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useDraft } from '../../drafts/drafts.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { type Draft, draftOf, PARAMETERS_KEY, type Parameter } from './parameter.js';
import { parameterDrafts } from './parameter-drafts.js';

/** The largest page of the service. */
const PAGE_SIZE = 200;

/** All parameters: the page searches them itself. */
export function useParameters() {
  const api = useApi();
  return useQuery({
    queryKey: PARAMETERS_KEY,
    async queryFn({ signal }) {
      const all: Parameter[] = [];
      for (let page = 1; ; page += 1) {
        const answer = await api.GET('/admin/system-parameters', {
          params: { query: { page, size: PAGE_SIZE } },
          signal,
        });
        const { data, page: found } = dataOf(answer);
        all.push(...data);
        if (data.length === 0 || all.length >= found.total) return all;
      }
    },
  });
}

interface Change {
  readonly value: Draft;
  readonly version: number;
  readonly confirm?: true;
}

/** A change that the service has made. */
export interface SavedChange {
  readonly before: Draft;
  readonly after: Draft;
}

/**
 * What the user makes of one parameter. A draft belongs to the version that the user saw: if somebody else saves
 * meanwhile, nothing is sent until the user has chosen.
 */
export function useParameterEdit(parameter: Parameter, onSaved: (change: SavedChange) => void) {
  const api = useApi();
  const queries = useQueryClient();
  const { draft: edit, update } = useDraft(parameterDrafts, parameter.key);
  const stored = draftOf(parameter.value);
  const draft = edit?.draft ?? stored;
  const isChanged = draft !== stored;
  const sent = useRef<SavedChange | null>(null);
  const write = useWrite(
    async (change: Change, header) => {
      const path = { key: parameter.key };
      return dataOf(await api.PUT('/admin/system-parameters/{key}', { params: { path, header }, body: change })).data;
    },
    {
      changes: [PARAMETERS_KEY],
      onDone(saved) {
        if (saved !== null) {
          queries.setQueryData<readonly Parameter[]>(PARAMETERS_KEY, (all) =>
            all?.map((each) => (each.key === saved.key ? saved : each)),
          );
        }
        // What was typed while the answer was on its way is a draft over the saved value.
        update((latest) =>
          saved === null || latest === null || latest.draft === draftOf(saved.value)
            ? null
            : { ...latest, began: saved },
        );
        if (sent.current !== null) onSaved(sent.current);
      },
    },
  );

  const hasEdit = edit !== null;
  const { reset } = write;
  useEffect(() => {
    // A refusal goes with the draft that it was about.
    if (!hasEdit) reset();
  }, [hasEdit, reset]);
  useEffect(() => {
    // What is stored by now is no draft any more.
    if (hasEdit && !isChanged) update(() => null);
  });

  function send(change: Change): void {
    sent.current = { before: stored, after: change.value };
    write.mutate(change, {
      onError(error) {
        // The value of the other user is read, so that both can be shown.
        if (isConflict(error)) void queries.invalidateQueries({ queryKey: PARAMETERS_KEY });
      },
    });
  }

  const isOverwriting = edit !== null && isChanged && edit.began.version !== parameter.version;
  // The conflict has been read, and is shown or over.
  const isConflictSettled = isConflict(write.error) && write.variables?.version !== parameter.version;
  return {
    draft,
    isChanged,
    /** The draft was begun with another value than the present one. Null: there is no conflict. */
    conflict: isOverwriting ? { began: edit.began } : null,
    isSaving: write.isPending,
    error: isConflictSettled ? null : write.error,
    /** Begins a draft, or goes on with it. */
    change: (next: Draft) => update((latest) => ({ draft: next, began: latest?.began ?? parameter })),
    discard: () => update(() => null),
    /** Saves the draft over the value that is shown now. */
    save: () => send({ value: draft, version: parameter.version }),
    /** Saves again what needs a confirmation. */
    confirm() {
      if (write.variables !== undefined) send({ ...write.variables, confirm: true });
    },
    dismiss: write.reset,
  };
}

export type ParameterEdit = ReturnType<typeof useParameterEdit>;

function isConflict(error: Error | null): boolean {
  return error instanceof RefusedError && error.code === 'PARAMETER_VERSION_CONFLICT';
}
