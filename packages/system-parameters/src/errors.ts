import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { refusals } from './refusals.js';

/** Options, definitions or routes that can't be right. Thrown before the server listens; `faults` lists every fault. */
export class SystemParametersSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('SYSTEM_PARAMETERS_SETUP_INVALID', subject, faults);
  }
}

/** No definition has this key. */
export const ParameterUnknownError = refusalError(refusals, 'PARAMETER_UNKNOWN');

/** A fault in the body of a change: where (RFC 6901), and a sentence about it. */
export interface ParameterFault {
  readonly pointer: '/value' | '/version' | '/confirm';
  readonly detail: string;
}

/** The change breaks its type, range, own check or the rules of its table; `errors` lists every fault. */
export class ParameterInvalidError extends refusalError(refusals, 'PARAMETER_INVALID') {
  readonly errors: readonly ParameterFault[];

  constructor(errors: readonly ParameterFault[]) {
    super(errors.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join('; '));
    this.errors = errors;
  }
}

/** Another user changed the parameter since it was read. */
export const ParameterVersionConflictError = refusalError(refusals, 'PARAMETER_VERSION_CONFLICT');

/** The guard of the table asks for `confirm: true`; `errors` says why. */
export class ParameterConfirmationNeededError extends refusalError(refusals, 'PARAMETER_CONFIRMATION_NEEDED') {
  readonly errors: readonly ParameterFault[];
  readonly clientAction = refusals.PARAMETER_CONFIRMATION_NEEDED.retry;

  constructor(why: string) {
    super(why);
    this.errors = [{ pointer: '/confirm', detail: why }];
  }
}

/** The hook `onChange` rejected, so the change was not made; `cause` says why. */
export const ParameterChangeNotRecordedError = refusalError(refusals, 'PARAMETER_CHANGE_NOT_RECORDED');

/** The source is unreachable, and the last good values can't answer the call. `cause` says why. */
export const SystemParametersUnavailableError = refusalError(refusals, 'SYSTEM_PARAMETERS_UNAVAILABLE');
