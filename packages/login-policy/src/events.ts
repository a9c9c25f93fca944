import type { CounterKind } from './counters/index.js';
import type { LoginRefusal } from './errors.js';
import type { LoginAccount, LoginSubject } from './login-account.js';

/**
 * An event for an audit log. `subject` is the same object that `attempt` received, so a caller can find what it added
 * to it, such as the request; its texts are as submitted. `account` is normalised.
 */
export type LoginPolicyEvent =
  /** The password was wrong, or the name unknown. `failures`: the present count of the narrowest counter. */
  | {
      readonly type: 'failed';
      readonly subject: LoginSubject;
      readonly account: LoginAccount;
      readonly failures: number;
    }
  /** A lock began. Exactly one server reports each lock. `lockedUntil` in milliseconds since 1970. */
  | {
      readonly type: 'locked';
      readonly subject: LoginSubject;
      readonly account: LoginAccount;
      readonly counter: CounterKind;
      readonly lockedUntil: number;
    }
  /** The attempt was refused before its password was verified; `attempt` rejects with `error`. */
  | { readonly type: 'refused'; readonly subject: LoginSubject; readonly error: LoginRefusal }
  /** The counters of the account were cleared. */
  | { readonly type: 'cleared'; readonly account: LoginAccount }
  /** The counter of an address over all names was cleared. IPv6 by its /64. */
  | { readonly type: 'address-cleared'; readonly address: string };

/**
 * Receives every event after the counters have changed. `attempt`, `clear` and `clearAddress` await it, so that no
 * answer comes before its audit record. If it rejects, the call rejects with that error.
 */
export type LoginPolicyListener = (event: LoginPolicyEvent) => void | Promise<void>;
