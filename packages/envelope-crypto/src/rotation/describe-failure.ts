/** Maximum length of a failure in the log, in characters. */
const MAX_FAILURE_LENGTH = 300;

/** 16 hexadecimal digits or more, with or without a separator after each byte, as in `ab:cd` and `<Buffer ab cd>`. */
const HEX_RUN = /[0-9a-f]{2}(?:[:\s-]?[0-9a-f]{2}){7,}[0-9a-f]?/gi;

/** Eight bytes or more in decimal, as an array is printed. */
const DECIMAL_RUN = /(?:\d{1,3}[,\s]+){7,}\d{1,3}/g;

const BASE64_RUN = /[A-Za-z0-9+/_=-]{32,}/g;

/**
 * The message of an error, without parts that may be a key. A parser quotes its input, so its message is left out. Long
 * runs of hexadecimal digits, of lists of bytes and of base64 are masked. This is done before the message is cut,
 * because the rest of a cut run would be too short to be recognised.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'it threw a value that is not an error';
  const { message } = error;
  // Wrapped errors, and those of another realm, are not instances.
  if (error instanceof SyntaxError || /\bJSON\b/i.test(message.replaceAll(/[\w-]+\.json\b/gi, ''))) {
    return 'the text could not be parsed';
  }
  return message
    .replaceAll(HEX_RUN, '…')
    .replaceAll(DECIMAL_RUN, '…')
    .replaceAll(BASE64_RUN, (run) => (isPath(run) ? run : '…'))
    .slice(0, MAX_FAILURE_LENGTH);
}

/** A path of lower-case names. Of keys in base64, one in 10^9 has no capital letter. */
function isPath(run: string): boolean {
  return run.includes('/') && !/[A-Z]/.test(run);
}
