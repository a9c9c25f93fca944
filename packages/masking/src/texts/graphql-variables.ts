import { isSecretName } from '../sensitive-names.js';
import type { Report } from './spans.js';
import { findValueEnds, type ValueEnds } from './value-ends.js';

/** An argument or a field that takes its value from a variable: `password: $p`. */
const BINDING = /([\p{L}\p{N}_-]{2,64})[\s"'\\]{0,4}:\s{0,4}\$([A-Za-z_]\w{0,63})/gu;

/** The default value of a variable: `$p: String! = "x"`. */
const DEFAULT = /\$([A-Za-z_]\w{0,63})\s{0,4}:\s{0,4}[[\w]{1,64}[!\]]{0,4}\s{0,4}=\s{0,4}/g;

/** A member of the object of variables: `"p":`. */
const MEMBER = /["'`]([A-Za-z_]\w{0,63})\\{0,8}["'`]\s{0,4}:\s{0,4}/g;

export const NO_VARIABLES: ReadonlySet<string> = new Set();

/** All variables of a longer document are masked. */
const MAX_DOCUMENT_LENGTH = 16_384;

/** The variables of a GraphQL document that are bound to a sensitive name: `p` in `login(password: $p)`. */
function secretVariables(document: string): ReadonlySet<string> {
  if (!document.includes('$')) return NO_VARIABLES;
  const variables = new Set<string>();
  for (const [, name = '', variable = ''] of document.matchAll(BINDING))
    if (isSecretName(name)) variables.add(variable);
  return variables;
}

/**
 * The names of secrets under `variables` of a GraphQL request. They include `variables` itself if that is a text. Null
 * if the item is not such a request.
 */
export function variablesIn(item: object): ReadonlySet<string> | null {
  if (!('variables' in item && 'query' in item)) return null;
  const { query, variables } = item;
  if (typeof query !== 'string') return null;
  const names = secretVariables(query.slice(0, MAX_DOCUMENT_LENGTH));
  const isHidden = query.length > MAX_DOCUMENT_LENGTH || (names.size > 0 && typeof variables === 'string');
  return isHidden ? new Set([...names, 'variables']) : names;
}

/** Reports the values of variables by what their document binds them to, wherever the variables stand. */
export function reportGraphqlVariables(text: string, report: Report): void {
  const variables = secretVariables(text);
  let ends: ValueEnds | null = null;
  reportAll(DEFAULT, (name) => variables.has(name) || isSecretName(name));
  if (variables.size > 0) reportAll(MEMBER, (name) => variables.has(name));

  function reportAll(pattern: RegExp, isSecret: (name: string) => boolean): void {
    for (const { index, 0: match, 1: name = '' } of text.matchAll(pattern)) {
      if (!isSecret(name)) continue;
      ends ??= findValueEnds(text);
      const [from, end] = ends.valueAt(index + match.length, 'word');
      if (end > from) report(from, end);
    }
  }
}
