import type { ParameterType } from '../definitions/index.js';

/** What is stored of a parameter. */
export interface ParameterRow {
  readonly key: string;
  /** The value as text. */
  readonly value: string;
  readonly isPublic: boolean;
  /** 0: never changed, and the default of the definition holds, whatever `value` says. Each change adds 1. */
  readonly version: number;
  readonly updatedBy: string | null;
  readonly updatedAt: Date | null;
}

/** A parameter of which a row has to be there. */
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
   * The versions on which the decision rests, of `key` and of every other parameter of its table: the write happens if
   * all of them still hold, so that two changes which are right by themselves can't break a rule together.
   */
  readonly versions: ReadonlyMap<string, number>;
  /**
   * Called with the row as it will be, when it is certain that it can be written, and before anybody sees it. If it
   * rejects, nothing is written, and `write` rejects with the same error. `transaction` is the source's own.
   */
  readonly beforeCommit: ((row: ParameterRow, transaction: unknown) => Promise<void>) | null;
}

/** Where parameters are stored. Each method rejects if it can't be carried out; the caller sets the time limit. */
export interface ParameterSource {
  /**
   * Makes a row, of version 0, for each parameter that has none; of rows that are there it renews type, default,
   * description, and the value of those never changed, but never the public flag. Any number of nodes may call it at once.
   */
  declare(parameters: readonly DeclaredParameter[]): Promise<void>;
  /** The rows of these keys, in one query; a key without a row is left out. */
  read(keys: readonly string[]): Promise<readonly ParameterRow[]>;
  /** Writes atomically, adding 1 to the version. Resolves to the new row, or to null if a version isn't the expected one, or a row is missing. */
  write(write: ParameterWrite): Promise<ParameterRow | null>;
}
