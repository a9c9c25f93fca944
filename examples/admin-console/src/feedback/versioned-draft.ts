import { useState } from 'react';

/** A record of the service, as a form sees it. */
export interface Versioned<Content> {
  readonly content: Content;
  readonly version: number;
}

/** Two values of a field: somebody saved the one while this form had the other. */
export interface Conflict<Content> {
  readonly stored: Content;
  readonly mine: Content;
  /** The fields that differ. */
  readonly names: readonly (keyof Content)[];
}

/** What a form makes of a record that others may change meanwhile. */
export interface VersionedDraft<Content> {
  readonly draft: Content;
  set(change: Partial<Content>): void;
  /** The fields that the user changed. */
  readonly changes: Partial<Content>;
  /** The version that the changes are based on. */
  readonly version: number;
  readonly conflict: Conflict<Content> | null;
  /** Goes on from a newer version. Fields that the user did not change take its values. */
  rebase(stored: Versioned<Content>): void;
}

/** @param names the fields that the form can change */
export function useVersionedDraft<Content extends object>(
  record: Versioned<Content>,
  names: readonly (keyof Content)[],
): VersionedDraft<Content> {
  const [base, setBase] = useState(record);
  const [draft, setDraft] = useState(record.content);
  const [conflict, setConflict] = useState<Conflict<Content> | null>(null);
  const changes: Partial<Content> = {};
  for (const name of names) {
    if (!isSame(draft[name], base.content[name])) changes[name] = draft[name];
  }
  return {
    draft,
    set: (change) => setDraft((last) => ({ ...last, ...change })),
    changes,
    version: base.version,
    conflict,
    rebase(stored) {
      setConflict({
        stored: stored.content,
        mine: draft,
        names: names.filter((name) => !isSame(stored.content[name], draft[name])),
      });
      setDraft({ ...stored.content, ...changes });
      setBase(stored);
    },
  };
}

/** Values of fields are texts, flags and lists of texts. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
