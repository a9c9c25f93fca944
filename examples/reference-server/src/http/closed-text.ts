import { Type } from 'typebox';

/**
 * One of these texts, in an answer. Clients are generated with the set. Serialization does not check it: a stored value
 * of another release is shown rather than refused.
 */
export function closedText<const Value extends string>(...values: readonly Value[]) {
  return Type.Unsafe<Value>({ type: 'string', enum: values });
}
