import { Type } from 'typebox';

/**
 * One of these texts, in an answer. Clients are generated with the set. Serialization does not check it, so that a
 * stored value of another release is shown and not refused.
 */
export function closedText<const Value extends string>(...values: readonly Value[]) {
  return Type.Unsafe<Value>({ type: 'string', enum: values });
}
