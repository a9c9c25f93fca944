/** The value of the filter `reads` that shows them. */
export const SHOWN = 'shown';

/** A filter of actions, as the operations take it. */
export interface ActionFilter {
  readonly action?: string;
  readonly actionPrefix?: string;
}

/** A whole action, such as `payment.create`, or several. */
const WHOLE = /^[^.*,]+\.[^.*,]+(?:,[^.*,]+\.[^.*,]+)*$/;

/**
 * Reads what is typed: a whole action, several between commas, or the beginning of actions, such as `payment` or
 * `payment.c*`.
 */
export function actionOf(typed: string | undefined): ActionFilter {
  if (typed === undefined) return {};
  if (WHOLE.test(typed)) return { action: typed };
  const actionPrefix = typed.replace(/\*+$/, '');
  return actionPrefix === '' ? {} : { actionPrefix };
}

/** Whether reads stay out unless they are asked for. To ask for one of them, or for a whole request, asks for them. */
export function hasReadsHidden({ action, requestId }: ActionFilter & { readonly requestId?: string | undefined }) {
  return action?.split(',').some((each) => each.endsWith('.read')) !== true && requestId === undefined;
}
