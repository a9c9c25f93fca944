import type { ParameterType } from '../definitions/index.js';

/** The stored row of a parameter. */
export interface ParameterRow {
  readonly key: string;
  /** The value as text. */
  readonly value: string;
  readonly isPublic: boolean;
  /** 0: never changed. The default of the definition is then in force, regardless of `value`. Each change adds 1. */
  readonly version: number;
  readonly updatedBy: string | null;
  /** When the value became what it is. A write of the same value leaves it, so rules may count from it. */
  readonly updatedAt: Date | null;
}

/** A parameter that needs a row. */
export interface DeclaredParameter {
  readonly key: string;
  readonly type: ParameterType;
  /** The default as text. */
  readonly defaultValue: string;
  readonly isPublic: boolean;
  readonly description: string;
}

export interface ParameterWrite {
  readonly key: string;
  readonly value: string;
  readonly updatedBy: string;
  /**
   * The versions that the decision rests on: of `key` and of every other parameter of its table. The write happens only
   * if all of them still hold, so that two changes, each valid alone, can't break a rule together.
   */
  readonly versions: ReadonlyMap<string, number>;
  /**
   * Called with the new row, when it can certainly be written but is not visible yet. If it rejects, nothing is
   * written, and `write` rejects with the same error. `transaction` is the transaction of the source.
   */
  readonly beforeCommit: ((row: ParameterRow, transaction: unknown) => Promise<void>) | null;
}

/** A store of parameters. A method that can't be carried out rejects. The caller sets the time limit. */
export interface ParameterSource {
  /**
   * Makes a row of version 0 for each parameter without a row. In existing rows it updates type, default and
   * description, and the value if it was never changed, but never the public flag. Any number of nodes may call it at
   * once.
   */
  declare(parameters: readonly DeclaredParameter[]): Promise<void>;
  /** The rows of these keys, in one query. A key without a row is left out. */
  read(keys: readonly string[]): Promise<readonly ParameterRow[]>;
  /**
   * Writes atomically, adding 1 to the version. Resolves to the new row, or to null if a version differs from the
   * expected one or a row is missing.
   */
  write(write: ParameterWrite): Promise<ParameterRow | null>;
}

/**
 * Notifies other nodes of changes. A failure or a lost message delays a change by up to `maxAgeMillis`, but never loses
 * it.
 */
export interface ParameterNotifier {
  /** Notifies every subscriber, on this node and on the others. Called after a change, which doesn't wait for it. */
  publish(): Promise<void>;
  /**
   * Calls the listener whenever there may be a change, including when messages may have been missed, such as after a
   * reconnection.
   *
   * @param onHearing called with false if the notifier finds that notifications do not arrive, and with true when they
   * arrive again. In between it calls the listener at intervals
   */
  subscribe(listener: () => void, onHearing?: (isHeard: boolean) => void): ParameterSubscription;
}

export interface ParameterSubscription {
  /** Resolves when notifications arrive. Rejects if they never will. */
  readonly active: Promise<void>;
  /** Ends the subscription, active or not, and closes what the notifier opened for it. */
  end(): Promise<void>;
}
