import { defineBodyFormat } from '../../http/body-formats.js';

/** Whole units without leading zeros, then at most two decimals. Ten digits: what `numeric(12, 2)` holds. */
const AMOUNT = /^(?:0|[1-9][0-9]{0,9})(?:\.[0-9]{1,2})?$/;

/**
 * Whether a text is an amount that can be paid: more than nothing, at most 9999999999.99. It never becomes a number of
 * JavaScript, which has no exact tenth.
 */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text) && /[1-9]/.test(text);
}

export const paymentAmountFormat = defineBodyFormat('payment-amount', {
  accepts: isAmount,
  en: 'has to be more than 0 and at most 9999999999.99, with at most two decimals, such as 12.50',
  'zh-CN': '须大于 0 且不超过 9999999999.99，最多两位小数，例如 12.50',
});
