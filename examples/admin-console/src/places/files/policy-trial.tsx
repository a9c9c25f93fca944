import { Button, FileInput, Group, NativeSelect, NumberInput, Paper, Stack, TagsInput, Text } from '@mantine/core';
import { asContent, dataOf } from '@sallyport/api-client';
import { type FormEvent, useState } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { given } from '../../lists/filters.js';
import { useSend } from '../../service/send.js';
import { useApi } from '../../service/service.js';
import { useFileDrop } from './file-drop.js';
import { entriesOf, type TriedPolicy, usePolicyInForce } from './policy-in-force.js';
import { policyTexts } from './policy-texts.js';
import { SimulationResult } from './simulation-result.js';

/** Separates the entries of a list. */
const SEPARATORS = [',', ';', ' '];

/** What is undefined counts as it is in force. */
type TriedValues = { readonly [Name in keyof TriedPolicy]?: TriedPolicy[Name] | undefined };

interface Trial {
  readonly file: File;
  readonly values: TriedValues;
}

const AS_IN_FORCE: TriedValues = {};

/** Tries a file against policy values before they are saved. */
export function PolicyTrial({ isShown }: { readonly isShown: boolean }) {
  const t = useTexts(policyTexts);
  const { bytes } = useFormats();
  const api = useApi();
  const [file, setFile] = useState<File | null>(null);
  const [values, setValues] = useState(AS_IN_FORCE);
  const inForce = usePolicyInForce(isShown);
  useFileDrop(isShown ? ([first]) => first && setFile(first) : null);
  const simulation = useSend({
    mutationFn: async ({ file: tried, values: query }: Trial) =>
      dataOf(
        await api.POST('/admin/storage/simulate', {
          params: { query: { fileName: tried.name, ...given(query) } },
          ...asContent(tried),
        }),
      ).data,
  });

  function set(part: TriedValues) {
    setValues((last) => ({ ...last, ...part }));
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (file !== null) simulation.mutate({ file, values });
  }

  const isStale =
    simulation.variables !== undefined &&
    (simulation.variables.file !== file || simulation.variables.values !== values);
  const maxSizeMb = values.maxSizeMb ?? inForce.data?.maxSizeMb;
  const validationEnabled = values.validationEnabled ?? inForce.data?.validationEnabled;
  const lists = [
    {
      name: 'allowedExtensions',
      label: t.allowedExtensions,
      change: (allowedExtensions: string) => set({ allowedExtensions }),
    },
    {
      name: 'allowedMimeTypes',
      label: t.allowedMimeTypes,
      change: (allowedMimeTypes: string) => set({ allowedMimeTypes }),
    },
  ] as const;

  /** Names the value in force next to another one that is tried. */
  function noteOn(name: keyof TriedPolicy): string | undefined {
    const known = inForce.data?.[name];
    const tried = values[name];
    if (known === undefined || tried === undefined || tried === known) return undefined;
    return t.inForce(typeof known === 'boolean' ? (known ? t.on : t.off) : String(known));
  }

  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={720}>
        {t.purpose}
      </Text>
      <Paper withBorder p="md" component="form" onSubmit={submit} maw={860}>
        <Stack gap="md">
          <FileInput
            label={t.file}
            placeholder={t.choose}
            required
            withAsterisk={false}
            clearable
            clearButtonProps={{ 'aria-label': t.clear }}
            value={file}
            onChange={setFile}
            description={file === null ? undefined : declarationOf(file)}
          />
          <Refusal error={inForce.error} onRetry={() => void inForce.refetch()} />
          {!inForce.mayRead && (
            <Text size="sm" c="dimmed">
              {t.unknown}
            </Text>
          )}
          <Group gap="md" align="flex-start">
            <NumberInput
              label={t.maxSizeMb}
              w={200}
              min={1}
              allowDecimal={false}
              allowNegative={false}
              placeholder={t.asInForce}
              value={maxSizeMb ?? ''}
              description={noteOn('maxSizeMb')}
              onChange={(value) => set({ maxSizeMb: typeof value === 'number' ? value : undefined })}
            />
            <NativeSelect
              label={t.validation}
              w={280}
              description={noteOn('validationEnabled') ?? t.validationHint}
              value={String(validationEnabled ?? '')}
              onChange={(event) => {
                const { value } = event.currentTarget;
                set({ validationEnabled: value === '' ? undefined : value === 'true' });
              }}
              data={[
                ...(inForce.data === undefined ? [{ value: '', label: t.asInForce }] : []),
                { value: 'true', label: t.on },
                { value: 'false', label: t.off },
              ]}
            />
          </Group>
          {lists.map(({ name, label, change }) => {
            const list = values[name] ?? inForce.data?.[name];
            return (
              <TagsInput
                key={name}
                label={label}
                placeholder={list === undefined ? t.asInForce : t.add}
                splitChars={SEPARATORS}
                value={entriesOf(list ?? '')}
                onChange={(entries) => change(entries.join(','))}
                error={list === '' ? t.nothingAllowed : undefined}
                description={noteOn(name)}
              />
            );
          })}
          <Refusal error={simulation.error} />
          <Group>
            <Button type="submit" loading={simulation.isPending} disabled={file === null}>
              {t.run}
            </Button>
            {Object.keys(given(values)).length > 0 && (
              <Button variant="subtle" onClick={() => setValues(AS_IN_FORCE)}>
                {t.reset}
              </Button>
            )}
          </Group>
        </Stack>
      </Paper>
      {simulation.data !== undefined && <SimulationResult simulation={simulation.data} isStale={isStale} />}
    </Stack>
  );

  function declarationOf({ size, type }: File): string {
    return type === '' ? t.undeclared(bytes(size)) : t.declared(bytes(size), type);
  }
}
