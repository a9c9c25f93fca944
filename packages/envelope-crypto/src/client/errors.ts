import { SetupError } from '@sallyport/plugin-kit/options';

/** Why a request failed. Nothing of the response was shown. */
export type EnvelopeClientErrorCode =
  /** The bootstrap could not be read, or is invalid. */
  | 'BOOTSTRAP_FAILED'
  /** No envelope can carry the request (a form, a stream, another content type), or its URL misses the service. */
  | 'REQUEST_UNSUPPORTED'
  /** The request is longer than the service accepts. */
  | 'REQUEST_TOO_LARGE'
  /** The response is not the service's answer to this request, or was changed in transit. */
  | 'RESPONSE_REFUSED'
  /**
   * The service says that it takes no envelopes (mode `OFF`), after this client has sealed a request to it, or although
   * the application requires encryption. Nothing of the request was sent in the clear.
   */
  | 'ENCRYPTION_DOWNGRADE'
  /** The service's public key is none of `trustedKeys`. Nothing was sealed for it. */
  | 'SERVER_KEY_UNTRUSTED';

/** The errors of the client. Network errors stay those of `fetch`. */
export class EnvelopeClientError extends Error {
  override readonly name = 'EnvelopeClientError';
  readonly code: EnvelopeClientErrorCode;

  constructor(code: EnvelopeClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A client got bad options. `faults` lists every fault. */
export class EnvelopeClientSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('ENVELOPE_CLIENT_SETUP_INVALID', subject, faults);
  }
}
