/** The placeholders. `{{text}}` is the whole message, the others are its parts. */
const PLACEHOLDER = /\{\{([a-zA-Z]*)\}\}/g;

export type TemplateValues = Readonly<Record<'id' | 'mobile' | 'text' | 'code' | 'validMinutes', string>>;

const names: readonly string[] = ['id', 'mobile', 'text', 'code', 'validMinutes'] satisfies (keyof TemplateValues)[];

/** Fills the JSON of a request body. Values are inserted into its strings and can't break out of them. */
export function fillTemplate(template: string, values: TemplateValues): string {
  return template.replaceAll(PLACEHOLDER, (_, name: keyof TemplateValues) => JSON.stringify(values[name]).slice(1, -1));
}

/** The reason why a text is not a template, or null. */
export function templateFault(template: string): string | null {
  const unknown = [...template.matchAll(PLACEHOLDER)]
    .map(([, name]) => name)
    .filter((name) => !names.includes(name ?? ''));
  if (unknown.length > 0) return `contains {{${unknown[0]}}}, which is not one of ${names.join(', ')}`;
  const sample = { id: 'a', mobile: 'a', text: '"\\', code: 'a', validMinutes: 'a' };
  try {
    JSON.parse(fillTemplate(template, sample));
    return null;
  } catch {
    return 'is not JSON with its placeholders inside strings';
  }
}
