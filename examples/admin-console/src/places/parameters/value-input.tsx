import { Group, NativeSelect, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useDuration } from '../../language/durations.js';
import { useLanguage, useTexts } from '../../language/language.js';
import { type Draft, faultOfDraft, isLongText, type Parameter } from './parameter.js';
import { texts } from './texts.js';
import { unitNameOf } from './value-text.js';

export interface ValueInputProps {
  readonly parameter: Parameter;
  /** The id of the label next to it. */
  readonly id: string;
  /** Of the text that describes it. */
  readonly describedBy: string;
  readonly draft: Draft;
  onChange(draft: Draft): void;
}

/** The input that the type of a parameter asks for. */
export function ValueInput(props: ValueInputProps) {
  const { parameter, id, describedBy, draft, onChange } = props;
  const t = useTexts(texts);
  if (typeof draft === 'boolean') {
    return (
      <Switch
        id={id}
        aria-describedby={describedBy}
        checked={draft}
        label={<span aria-hidden>{draft ? t.on : t.off}</span>}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    );
  }
  if (parameter.type !== 'STRING') return <NumberInput {...props} draft={draft} />;
  const { values } = parameter;
  if (values != null) {
    return (
      <NativeSelect
        id={id}
        aria-describedby={describedBy}
        data={[...values]}
        value={draft}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  const fault = faultOfDraft(parameter, draft);
  const input = {
    id,
    'aria-describedby': describedBy,
    value: draft,
    error: fault === null ? null : t.faults[fault],
    spellCheck: false,
    autoComplete: 'off',
  };
  return isLongText(parameter) ? (
    <Textarea {...input} autosize minRows={1} maxRows={10} onChange={(event) => onChange(event.currentTarget.value)} />
  ) : (
    <TextInput {...input} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}

/** The text of a number: an input of the type `number` would round a long one, and swallow what is no number. */
function NumberInput({ parameter, id, describedBy, draft, onChange }: ValueInputProps & { readonly draft: string }) {
  const t = useTexts(texts);
  const { language } = useLanguage();
  const duration = useDuration();
  const fault = faultOfDraft(parameter, draft);
  const unit = unitNameOf(parameter.unit, language);
  const isSeconds = parameter.unit?.name === 'seconds' && fault === null && Number(draft) >= 60;
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        id={id}
        aria-describedby={describedBy}
        inputMode="numeric"
        autoComplete="off"
        w={140}
        value={draft}
        error={fault === null ? null : t.faults[fault]}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
      {unit !== null && (
        <Text size="sm" c="dimmed" pt={7}>
          {unit}
          {isSeconds && ` = ${duration(Number(draft))}`}
        </Text>
      )}
    </Group>
  );
}
