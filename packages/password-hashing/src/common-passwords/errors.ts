import { SetupError } from '@sallyport/plugin-kit/options';

/** Bad options. `faults` lists them all. */
export class CommonPasswordsSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('COMMON_PASSWORDS_SETUP_INVALID', subject, faults);
  }
}
