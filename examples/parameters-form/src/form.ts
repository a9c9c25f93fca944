import type { ParameterDefinition, ParameterView } from '@sallyport/system-parameters';
import { groups } from './parameters.js';

const escaped = (text: unknown) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function inputOf(definition: ParameterDefinition, { value, minimum, maximum }: ParameterView, unit = ''): string {
  switch (definition.type) {
    case 'BOOLEAN':
      return `<input type="checkbox" name="value"${value === true ? ' checked' : ''}>`;
    case 'STRING':
      return `<input name="value" maxlength="${definition.maxLength ?? 4000}" value="${escaped(value)}">`;
    default:
      return `<input type="number" name="value" min="${minimum}" max="${maximum}" value="${value}" required>
        ${escaped(unit)}, ${minimum} to ${maximum}`;
  }
}

/** The page: a form for each parameter, with the version that was read. */
export function formPage(views: readonly ParameterView[]): string {
  const sections = groups.map(({ heading, table, units }) => {
    const forms = Object.entries<ParameterDefinition>(table.definitions).map(([name, definition]) => {
      const view = views.find(({ key }) => key === definition.key) as ParameterView;
      const unit = (units as Readonly<Record<string, string>>)[name];
      return `<form data-key="${view.key}" data-version="${view.version}">
        <label>${escaped(view.description)} ${inputOf(definition, view, unit)}</label> <button>Save</button>
        <small>default: ${escaped(view.defaultValue)}</small> <output></output></form>`;
    });
    return `<fieldset><legend>${escaped(heading)}</legend>${forms.join('\n')}</fieldset>`;
  });
  return `<!doctype html><html lang="en"><title>Parameters</title><h1>Parameters</h1>${sections.join('\n')}
    <script type="module" src="page.js"></script></html>`;
}
