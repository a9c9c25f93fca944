import type { CounterKind } from './counters/index.js';
import type { LoginRefusal } from './errors.js';
import type { LoginAccount } from './login-account.js';
import type { LoginSubject } from './login-attempts.js';

/**
 * What happened, for an audit log. `subject` is the very object that `attempt` was given, so that what a caller puts
 * on it beside (its request, say) can be found again; its texts are as submitted. `account` is normalised.
 */
export type LoginPolicyEvent =
  /** The password was wrong, or the name unknown. `failures`: how many the narrowest counter now holds. */
  | {
      readonly type: 'failed';
      readonly subject: LoginSubject;
      readonly account: LoginAccount;
      readonly failures: number;
    }
  /** A lock began; once for each lock, on one server. `lockedUntil` in milliseconds. */
  | {
      readonly type: 'locked';
      readonly subject: LoginSubject;
      readonly account: LoginAccount;
      readonly counter: CounterKind;
      readonly lockedUntil: number;
    }
  /** The attempt was refused before its password was looked at; `error` is what `attempt` rejects with. */
  | { readonly type: 'refused'; readonly subject: LoginSubject; readonly error: LoginRefusal }
  /** The counters of the account were cleared. */
  | { readonly type: 'cleared'; readonly account: LoginAccount };

/**
 * Hears of every event, and is awaited: `attempt` and `clear` answer after it, so that no answer comes before its audit
 * record. The counters have changed by then. If it rejects, so does the call, with that error: a sign-in that can't be
 * audited isn't answered as if it could.
 */
export type LoginPolicyListener = (event: LoginPolicyEvent) => void | Promise<void>;
