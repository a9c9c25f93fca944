import createError from '@fastify/error';
import { SetupError } from '@sallyport/plugin-kit/options';

/** Options, definitions or routes that can't be right. Thrown before the server listens; `faults` lists every fault. */
export class SystemParametersSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('SYSTEM_PARAMETERS_SETUP_INVALID', subject, faults);
  }
}

/** No definition has this key. */
export const ParameterUnknownError = createError('PARAMETER_UNKNOWN', 'There is no such system parameter', 404);

/** A fault in the body of a change: where (RFC 6901), and a sentence about it. */
export interface ParameterFault {
  readonly pointer: '/value' | '/version' | '/confirm';
  readonly detail: string;
}

const InvalidError = createError<'PARAMETER_INVALID', 400, [string]>(
  'PARAMETER_INVALID',
  'The change is not valid: %s',
  400,
);

/** The change breaks its type, range, own check or the rules of its table; `errors` lists every fault. */
export class ParameterInvalidError extends InvalidError {
  readonly errors: readonly ParameterFault[];

  constructor(errors: readonly ParameterFault[]) {
    super(errors.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join('; '));
    this.errors = errors;
  }
}

/** Somebody else changed the parameter since it was read. */
export const ParameterVersionConflictError = createError(
  'PARAMETER_VERSION_CONFLICT',
  'The parameter was changed meanwhile; read it again',
  409,
);

const ConfirmationNeededError = createError<'PARAMETER_CONFIRMATION_NEEDED', 409, [string]>(
  'PARAMETER_CONFIRMATION_NEEDED',
  'The change needs to be confirmed: %s',
  409,
);

/** The guard of the table asks for `confirm: true`; `errors` says why. */
export class ParameterConfirmationNeededError extends ConfirmationNeededError {
  readonly errors: readonly ParameterFault[];
  readonly clientAction = 'confirm';

  constructor(why: string) {
    super(why);
    this.errors = [{ pointer: '/confirm', detail: why }];
  }
}

/** The hook `onChange` rejected, so the change was not made; `cause` says why. */
export const ParameterChangeNotRecordedError = createError(
  'PARAMETER_CHANGE_NOT_RECORDED',
  'The change could not be recorded and was not made',
  503,
);

/** The source is unreachable, and the last good values can't answer the call. `cause` says why. */
export const SystemParametersUnavailableError = createError(
  'SYSTEM_PARAMETERS_UNAVAILABLE',
  'System parameters are not available at the moment',
  503,
);
