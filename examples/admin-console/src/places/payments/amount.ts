/** As the service takes it: no leading zeros, at most ten digits and two decimals. */
const AMOUNT = /^(?:0|[1-9][0-9]{0,9})(?:\.[0-9]{1,2})?$/;

/** Checks the text of an amount. It never becomes a number, which would lose digits. */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text) && /[1-9]/.test(text);
}
