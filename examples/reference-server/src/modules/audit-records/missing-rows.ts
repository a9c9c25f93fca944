/** The sentence of a gap of the audit log, such as 'The rows 8 to 11 are missing.' */
export function missingRows({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? `Row ${from} is missing.` : `The rows ${from} to ${to} are missing.`;
}
