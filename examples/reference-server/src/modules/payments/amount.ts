/** Whole units without leading zeros, then at most two decimals. Ten digits: what `numeric(12, 2)` holds. */
const AMOUNT = /^(?:0|[1-9][0-9]{0,9})(?:\.[0-9]{1,2})?$/;

/**
 * Whether a text is an amount that can be paid: more than nothing, at most 9999999999.99. It never becomes a number of
 * JavaScript, which has no exact tenth.
 */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text) && /[1-9]/.test(text);
}
