import { createDraftStore } from '../../drafts/draft-store.js';
import type { Draft, Parameter } from './parameter.js';

/** A draft, and the parameter as it was when the user began it. */
export interface ParameterDraft {
  readonly draft: Draft;
  readonly began: Parameter;
}

/** What the user changed and did not save, by the keys of the parameters. It stays when the place is left. */
export const parameterDrafts = createDraftStore<ParameterDraft>('/parameters');
