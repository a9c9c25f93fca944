/** A parameter as it stands in an operation, or a reference to a component. */
export type Parameter = { readonly $ref: string } | { readonly in: string; readonly name: string };

/**
 * Moves parameters that several operations have in the same form to the components, so that the document has them once.
 *
 * @param operations by the parameters of each
 * @param components the parameters that are components already
 */
export function shareParameters(
  operations: readonly (readonly Parameter[])[],
  components: Readonly<Record<string, object>>,
): { readonly operations: readonly (readonly Parameter[])[]; readonly components: Readonly<Record<string, object>> } {
  const uses = new Map<string, number>();
  for (const parameter of operations.flat()) {
    const text = JSON.stringify(parameter);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const shared: Record<string, object> = { ...components };
  const names = new Map<string, string>();

  function share(parameter: Parameter): Parameter {
    const text = JSON.stringify(parameter);
    if ('$ref' in parameter || uses.get(text) === 1) return parameter;
    const name = names.get(text) ?? freeName(parameter.name);
    names.set(text, name);
    shared[name] = parameter;
    return { $ref: `#/components/parameters/${name}` };
  }

  function freeName(name: string): string {
    let free = name;
    for (let count = 2; free in shared; count += 1) free = `${name}${count}`;
    return free;
  }

  return { operations: operations.map((parameters) => parameters.map(share)), components: shared };
}
