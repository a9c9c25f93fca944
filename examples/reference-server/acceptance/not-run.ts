/** The check could not be run here, and why: a right that is missing, an answer that a set-up step didn't expect. */
export class NotRunError extends Error {
  override readonly name = 'NotRunError';
}

/** What the check is about is switched off in this deployment. */
export class NotApplicableError extends Error {
  override readonly name = 'NotApplicableError';
}
