import { Code, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useAdministratorName } from '../../session/administrator-name.js';
import { isLongText, type Parameter } from './parameter.js';
import { texts } from './texts.js';
import { useValueText } from './value-text.js';

/** What its definition and its row say about a parameter: key, default, bounds, who changed it when. */
export function ParameterFacts({ parameter, id }: { readonly parameter: Parameter; readonly id: string }) {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const valueText = useValueText(parameter);
  const name = useAdministratorName(parameter.updatedBy ?? null, t.you);
  const bounds = useBounds(parameter);
  const { updatedAt, defaultValue } = parameter;
  const change = typeof updatedAt === 'number' ? t.changedBy(name, dateTime(updatedAt)) : t.neverChanged;
  // A long default would hide the rest; "Back to the default" shows it.
  const isShort = !isLongText(parameter) || defaultValue === '';
  const facts = [isShort ? t.defaultValue(valueText(defaultValue)) : null, bounds, change];
  return (
    <div id={id}>
      <Code fz="xs" style={{ overflowWrap: 'anywhere' }}>
        {parameter.key}
      </Code>
      <Text size="xs" c="dimmed" mt={4}>
        {facts.filter((fact) => fact !== null).join(' · ')}
      </Text>
    </div>
  );
}

/** Beyond it, a bound is one of the program: nobody means to reach it. */
const MAX_BOUND_SHOWN = 1_000_000_000;

function useBounds({ minimum, maximum, maxLength, values }: Parameter): string | null {
  const t = useTexts(texts);
  const { number } = useFormats();
  // They are offered for choice.
  if (values != null) return null;
  if (typeof maxLength === 'number') return t.maxLength(number(maxLength));
  const isShown = typeof maximum === 'number' && maximum <= MAX_BOUND_SHOWN;
  if (typeof minimum === 'number' && isShown) return t.between(number(minimum), number(maximum));
  if (typeof minimum === 'number') return t.atLeast(number(minimum));
  return isShown ? t.atMost(number(maximum)) : null;
}
