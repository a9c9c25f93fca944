import { defineBodyFormat } from '../../http/body-formats.js';

/** Whole units without leading zeros, and up to two decimals. Ten digits are what `numeric(12, 2)` holds. */
const AMOUNT = /^(?:0|[1-9][0-9]{0,9})(?:\.[0-9]{1,2})?$/;

/**
 * Whether the text is a valid amount: more than 0 and at most 9999999999.99. Amounts stay texts, because JavaScript
 * numbers can't represent decimals exactly.
 */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text) && /[1-9]/.test(text);
}

export const paymentAmountFormat = defineBodyFormat('payment-amount', {
  accepts: isAmount,
  en: 'has to be more than 0 and at most 9999999999.99, with at most two decimals, such as 12.50',
  'zh-CN': '须大于 0 且不超过 9999999999.99，最多两位小数，例如 12.50',
});
