import { Box, Button, Card, Divider, Group, NativeSelect, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { useSearchParams } from 'wouter';
import { useDrafts } from '../../drafts/drafts.js';
import { Loading } from '../../feedback/loading.js';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useLanguage, useTexts } from '../../language/language.js';
import { useMay } from '../../session/profile.js';
import { Page } from '../../shell/page.js';
import { groupsOf, matches, type ParameterGroup } from './groups.js';
import { GUARDED_KEYS, locksOut, useOwnAddress } from './lock-out.js';
import { type Parameter, textIn } from './parameter.js';
import { useParameters } from './parameter-changes.js';
import { parameterDrafts } from './parameter-drafts.js';
import { inputIdOf, ParameterForm } from './parameter-form.js';
import { withLabels } from './parameter-names.js';
import { texts } from './texts.js';
import { UnsavedDrafts, UnsavedMark } from './unsaved-drafts.js';

/** All parameters, as forms that are made from their definitions. */
export default function ParametersPage() {
  const t = useTexts(texts);
  const may = useMay();
  const query = useParameters();
  const mayChange = may('api:admin:system-parameters:write');
  return (
    <Page title={t.title} purpose={t.purpose}>
      {!mayChange && <Text size="sm">{t.readOnly}</Text>}
      <Refusal error={query.error} onRetry={() => void query.refetch()} />
      {query.data === undefined && query.error === null && <Loading />}
      {query.data !== undefined && <Parameters parameters={query.data} mayChange={mayChange} />}
    </Page>
  );
}

interface ParametersProps {
  readonly parameters: readonly Parameter[];
  readonly mayChange: boolean;
}

function Parameters({ parameters, mayChange }: ParametersProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const { language } = useLanguage();
  const drafts = useDrafts(parameterDrafts);
  // Only for a change of these: the reading is a record of the audit log.
  const ownAddress = useOwnAddress(mayChange && GUARDED_KEYS.some((key) => drafts.has(key)));
  const [address, setAddress] = useSearchParams();
  const search = address.get('search') ?? '';
  const group = address.get('group');
  const isChanged = address.get('changed') === 'true';
  const groups = groupsOf(parameters);
  const shown = new Set(parameters.filter((each) => matches(each, { search, group, isChanged })));

  function filter(name: string, value: string) {
    const next = new URLSearchParams(address);
    if (value === '') next.delete(name);
    else next.set(name, value);
    // Each letter would be a step of Back.
    setAddress(next, { replace: true });
  }

  function clear() {
    setAddress(new URLSearchParams(), { replace: true });
  }

  function lead(parameter: Parameter) {
    // A hidden input takes no focus.
    if (!shown.has(parameter)) flushSync(clear);
    document.getElementById(inputIdOf(parameter))?.focus();
  }

  const titleOf = ({ texts: names }: ParameterGroup) => (names === null ? t.otherGroup : textIn(language, names));
  return (
    <Stack gap="md">
      <Group role="search" align="flex-end" gap="sm">
        <TextInput
          type="search"
          label={t.search}
          placeholder={t.searchHint}
          value={search}
          onChange={({ currentTarget }) => filter('search', currentTarget.value)}
          w={{ base: '100%', xs: 260 }}
        />
        <NativeSelect
          label={t.group}
          value={group ?? ''}
          onChange={({ currentTarget }) => filter('group', currentTarget.value)}
          data={[
            { value: '', label: t.allGroups },
            ...groups.map((each) => ({ value: each.name, label: titleOf(each) })),
          ]}
          w={{ base: '100%', xs: 'auto' }}
        />
        <Switch
          label={t.onlyChanged}
          checked={isChanged}
          onChange={({ currentTarget }) => filter('changed', currentTarget.checked ? 'true' : '')}
          pb={8}
        />
      </Group>
      <Group gap="sm" mih={30}>
        <Text size="sm" c="dimmed" role="status">
          {shown.size === 0 ? t.nothing : t.found(number(shown.size), number(parameters.length))}
        </Text>
        {shown.size < parameters.length && (
          <Button size="xs" variant="subtle" onClick={clear}>
            {t.clear}
          </Button>
        )}
        <UnsavedDrafts parameters={parameters} onChoose={lead} />
      </Group>
      {groups.map((each) => (
        <GroupCard key={each.name} title={titleOf(each)} group={each} shown={shown}>
          {(parameter) => (
            <ParameterForm
              parameter={parameter}
              mayChange={mayChange}
              rephrase={(detail) => withLabels(detail, parameter, parameters, language)}
              warningOf={(draft) =>
                locksOut(parameters, { key: parameter.key, draft }, ownAddress)
                  ? t.lockOutMeaning(ownAddress ?? '')
                  : null
              }
            />
          )}
        </GroupCard>
      ))}
    </Stack>
  );
}

interface GroupCardProps {
  readonly title: string;
  readonly group: ParameterGroup;
  readonly shown: ReadonlySet<Parameter>;
  children(parameter: Parameter): ReactNode;
}

/** Parameters that the filters leave out are hidden, not removed: what is typed in them stays. */
function GroupCard({ title, group, shown, children }: GroupCardProps) {
  const first = group.parameters.find((parameter) => shown.has(parameter));
  return (
    <Card
      component="section"
      aria-label={title}
      withBorder
      padding="md"
      display={first === undefined ? 'none' : undefined}
    >
      <Group gap="sm" mb="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        <UnsavedMark parameters={group.parameters} />
      </Group>
      {group.parameters.map((parameter) => (
        <Box key={parameter.key} display={shown.has(parameter) ? undefined : 'none'}>
          {parameter !== first && <Divider my="md" />}
          {children(parameter)}
        </Box>
      ))}
    </Card>
  );
}
