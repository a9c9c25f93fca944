/** Why the client gave up; nothing of the response was shown. */
export type EnvelopeClientErrorCode =
  /** The bootstrap could not be read, or makes no sense. */
  | 'BOOTSTRAP_FAILED'
  /** The request can't be put into an envelope (a form, a stream, another content type), or would miss the service. */
  | 'REQUEST_UNSUPPORTED'
  /** The request is longer than the service takes. */
  | 'REQUEST_TOO_LARGE'
  /** The response isn't the service's answer to this request, or was changed on its way. */
  | 'RESPONSE_REFUSED';

/** What the client throws. Errors of the network come as `fetch` throws them. */
export class EnvelopeClientError extends Error {
  override readonly name = 'EnvelopeClientError';
  readonly code: EnvelopeClientErrorCode;

  constructor(code: EnvelopeClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
