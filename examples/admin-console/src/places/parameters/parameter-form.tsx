import { Alert, Badge, Button, Grid, Group, Stack, Text } from '@mantine/core';
import type { FormEvent } from 'react';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { useLanguage, useTexts } from '../../language/language.js';
import { ConfirmChange, confirmationOf } from './confirm-change.js';
import { type Draft, draftOf, faultOfDraft, isLongText, type Parameter, textIn } from './parameter.js';
import { type ParameterEdit, useParameterEdit } from './parameter-changes.js';
import { ParameterFacts } from './parameter-facts.js';
import { texts } from './texts.js';
import { ValueInput } from './value-input.js';
import { useSavedText, useValueText } from './value-text.js';
import { VersionConflict } from './version-conflict.js';

export interface ParameterFormProps {
  readonly parameter: Parameter;
  readonly mayChange: boolean;
  /** What the page knows to be dangerous about a value: a sentence, or null. */
  warningOf(draft: Draft): string | null;
  /** Says what the service finds wrong with the labels of parameters, not their keys. */
  rephrase(detail: string): string;
}

/** Of the input of a parameter. */
export function inputIdOf({ key }: Parameter): string {
  return `parameter-${key}`;
}

/** One parameter, saved on its own. */
export function ParameterForm({ parameter, mayChange, warningOf, rephrase }: ParameterFormProps) {
  const { language } = useLanguage();
  const t = useTexts(texts);
  const id = inputIdOf(parameter);
  const label = textIn(language, parameter.texts);
  const valueText = useValueText(parameter);
  const savedText = useSavedText(parameter);
  const edit = useParameterEdit(parameter, (change) => notifyDone(savedText(change)));
  const warning = edit.isChanged ? warningOf(edit.draft) : null;
  const hasFault = faultOfDraft(parameter, edit.draft) !== null;
  const isLong = isLongText(parameter);
  const isDefault = parameter.value === parameter.defaultValue;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (edit.isChanged && !hasFault && edit.conflict === null && !edit.isSaving) edit.save();
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <Grid gap="xs">
          <Grid.Col span={{ base: 12, md: isLong ? 12 : 7 }}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Text
                {...(mayChange ? { component: 'label' as const, htmlFor: id } : {})}
                size="sm"
                fw={600}
                id={`${id}-label`}
              >
                {label}
              </Text>
              {!isDefault && (
                <Badge size="sm" variant="light" color="blue" title={t.changedHint}>
                  {t.changed}
                </Badge>
              )}
              {parameter.isPublic && (
                <Badge size="sm" variant="light" color="gray" title={t.publicHint}>
                  {t.public}
                </Badge>
              )}
            </Group>
            <ParameterFacts parameter={parameter} id={`${id}-facts`} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: isLong ? 12 : 5 }}>
            {mayChange ? (
              <ValueInput
                parameter={parameter}
                id={id}
                describedBy={`${id}-facts`}
                draft={edit.draft}
                onChange={edit.change}
              />
            ) : (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {valueText(parameter.value)}
              </Text>
            )}
          </Grid.Col>
        </Grid>
        {parameter.fault != null && (
          <Alert color="red" title={t.storedFault}>
            <Stack gap="xs" align="flex-start">
              <Text size="sm">{t.storedFaultMeaning(parameter.fault, valueText(parameter.value))}</Text>
              {mayChange && !edit.isChanged && (
                <Button size="xs" variant="default" loading={edit.isSaving} onClick={edit.save}>
                  {t.replaceStored}
                </Button>
              )}
            </Stack>
          </Alert>
        )}
        {warning !== null && (
          <Alert color="red" title={t.lockOut} role="alert">
            {warning}
          </Alert>
        )}
        {edit.conflict !== null && <VersionConflict parameter={parameter} began={edit.conflict.began} edit={edit} />}
        {confirmationOf(edit.error) === null && (
          <Refusal error={edit.error} labels={{ value: label }} rephrase={rephrase} />
        )}
        {mayChange && <Actions parameter={parameter} edit={edit} labelId={`${id}-label`} isValid={!hasFault} />}
      </Stack>
      <ConfirmChange edit={edit} warning={warning} />
    </form>
  );
}

interface ActionsProps {
  readonly parameter: Parameter;
  readonly edit: ParameterEdit;
  readonly labelId: string;
  readonly isValid: boolean;
}

function Actions({ parameter, edit, labelId, isValid }: ActionsProps) {
  const t = useTexts(texts);
  const toDefault = draftOf(parameter.defaultValue);
  if (edit.conflict !== null) return null;
  // Where the stored value is the default, to discard is to go back to it.
  const canReset = edit.draft !== toDefault && parameter.value !== parameter.defaultValue;
  if (!edit.isChanged && !canReset) return null;
  return (
    <Group gap="xs">
      {edit.isChanged && (
        <Text size="xs" c="dimmed">
          {t.unsaved}
        </Text>
      )}
      {edit.isChanged && (
        <Button type="submit" size="xs" loading={edit.isSaving} disabled={!isValid} aria-describedby={labelId}>
          {t.save}
        </Button>
      )}
      {edit.isChanged && (
        <Button size="xs" variant="default" onClick={edit.discard} aria-describedby={labelId}>
          {t.discard}
        </Button>
      )}
      {canReset && (
        <Button size="xs" variant="subtle" onClick={() => edit.change(toDefault)} aria-describedby={labelId}>
          {t.toDefault}
        </Button>
      )}
    </Group>
  );
}
