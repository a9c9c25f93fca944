/** The check could not be run, for example because of a missing permission or an unexpected set-up answer. */
export class NotRunError extends Error {
  override readonly name = 'NotRunError';
}

/** The feature that the check tests is off in this deployment. */
export class NotApplicableError extends Error {
  override readonly name = 'NotApplicableError';
}
