/** An event for a security log. One process reports each event, once per window or change. */
export type OneTimeCodeEvent =
  /** Wrong codes of one recipient. From now on each check needs a captcha, or only long codes are accepted. */
  | {
      readonly type: 'recipient-guessed';
      readonly recipient: string;
      readonly wrongCodes: number;
      readonly consequence: 'captcha' | 'long-codes-only';
    }
  /** Wrong codes over all recipients. From now on new codes are long, or only long codes are accepted. */
  | {
      readonly type: 'guesses-overall';
      readonly wrongCodes: number;
      readonly consequence: 'long-codes' | 'long-codes-only';
    }
  /** Few codes of this region or prefix are used, as in toll fraud. Each send to it needs a captcha. */
  | { readonly type: 'low-use'; readonly scope: string; readonly sent: number; readonly used: number }
  /** The codes of this region or prefix are used again. */
  | { readonly type: 'use-recovered'; readonly scope: string; readonly sent: number; readonly used: number }
  /** A budget is used up for recipients that have never signed in, or for all. `scope`: a region, or `overall`. */
  | { readonly type: 'budget-used-up'; readonly scope: string; readonly for: 'new-recipients' | 'all' };

/**
 * Receives events after the counters have changed, and is awaited. A rejection is logged; it refuses neither a send nor
 * a code.
 */
export type OneTimeCodeListener = (event: OneTimeCodeEvent) => void | Promise<void>;
