import { Checkbox, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Loading } from '../feedback/loading.js';
import { Refusal } from '../feedback/refusal.js';
import { useFormats } from '../language/formats.js';
import { useTexts } from '../language/language.js';
import { EVERY, grantOf, isFamily } from './grants.js';
import { PermissionGroup } from './permission-group.js';
import { searchGroups, usePermissionGroups } from './permission-groups.js';
import { texts } from './texts.js';

export interface PermissionChooserProps {
  /** What is chosen: codes, and families that end in `*`. */
  readonly chosen: readonly string[];
  /** What the user may grant. */
  readonly held: readonly string[];
  onChoose(chosen: readonly string[]): void;
}

/** Chooses permissions of a role: one by one, a group at once, or all. */
export function PermissionChooser({ chosen, held, onChoose }: PermissionChooserProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const { groups, error, retry } = usePermissionGroups();
  const [search, setSearch] = useState('');
  const [isOnlyChosen, setOnlyChosen] = useState(false);
  // A family that was taken away can be put back until the form is closed.
  const [families] = useState(() => chosen.filter((grant) => isFamily(grant) && grant !== EVERY));
  const codes = useMemo(
    () => groups?.flatMap(({ permissions }) => permissions.map(({ code }) => code)) ?? [],
    [groups],
  );
  const has = (code: string) => grantOf(chosen, code) !== undefined;

  if (error !== null) return <Refusal error={error} onRetry={retry} />;
  if (groups === undefined) return <Loading />;

  const found = searchGroups(groups, search)
    .map(({ group, shown }) => ({ group, shown: isOnlyChosen ? shown.filter(({ code }) => has(code)) : shown }))
    .filter(({ shown }) => shown.length > 0);

  function choose(changed: readonly string[], isChosen: boolean) {
    const others = chosen.filter((grant) => !changed.includes(grant));
    onChoose((isChosen ? [...others, ...changed] : others).toSorted());
  }

  const countOf = (family: string) => number(codes.filter((code) => grantOf([family], code) !== undefined).length);
  const mayGrantEvery = held.includes(EVERY) || chosen.includes(EVERY);
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <TextInput
          label={t.search}
          value={search}
          flex="1 1 200px"
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          // Enter would send the form around it.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        <Text size="sm" fw={500} role="status" pb={8}>
          {t.chosen(number(codes.filter(has).length), number(codes.length))}
        </Text>
      </Group>
      <Checkbox
        label={t.onlyChosen}
        checked={isOnlyChosen}
        onChange={({ currentTarget }) => setOnlyChosen(currentTarget.checked)}
      />
      {mayGrantEvery && (
        <Checkbox
          label={t.every}
          description={t.everyHint}
          checked={chosen.includes(EVERY)}
          onChange={({ currentTarget }) => choose([EVERY], currentTarget.checked)}
        />
      )}
      {families.length > 0 && (
        <Fieldset legend={t.families} p="sm">
          <Stack gap="xs">
            {families.map((family) => (
              <Checkbox
                key={family}
                label={family}
                description={t.family(countOf(family))}
                checked={chosen.includes(family)}
                onChange={({ currentTarget }) => choose([family], currentTarget.checked)}
              />
            ))}
          </Stack>
        </Fieldset>
      )}
      {found.length === 0 && <Text c="dimmed">{t.nothing}</Text>}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {found.map(({ group, shown }) => (
          <PermissionGroup key={group.name} group={group} shown={shown} chosen={chosen} held={held} onChoose={choose} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
