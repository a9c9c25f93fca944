/** The value given to `solve` holds no proof of work that this client can make. */
export class CaptchaSolveError extends Error {
  readonly code = 'CAPTCHA_UNSOLVABLE';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CaptchaSolveError';
  }
}
