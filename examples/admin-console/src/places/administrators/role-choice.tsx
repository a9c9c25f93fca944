import { Checkbox, Fieldset, Stack, Text } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import { unheldOf } from '../../permissions/grants.js';
import { useProfile } from '../../session/profile.js';
import { useRoles } from './administrator-records.js';
import { texts } from './texts.js';

export interface RoleChoiceProps {
  readonly chosen: readonly string[];
  onChoose(roleIds: string[]): void;
}

/** Chooses the roles of an account among those that the user may give. */
export function RoleChoice({ chosen, onChoose }: RoleChoiceProps) {
  const t = useTexts(texts);
  const { grants } = useProfile();
  const roles = useRoles();
  if (roles === undefined) return null;
  return (
    <Fieldset legend={t.roles} p="sm">
      <Stack gap="xs">
        {roles === null && (
          <Text size="sm" c="dimmed">
            {t.rolesHidden}
          </Text>
        )}
        {roles?.map(({ id, name, permissions }) => {
          const isHeld = unheldOf(grants, permissions).length === 0;
          return (
            <Checkbox
              key={id}
              label={name}
              description={isHeld ? undefined : t.unheldRole}
              disabled={!isHeld}
              checked={chosen.includes(id)}
              onChange={({ currentTarget }) => {
                const others = chosen.filter((other) => other !== id);
                onChoose((currentTarget.checked ? [...others, id] : others).toSorted());
              }}
            />
          );
        })}
      </Stack>
    </Fieldset>
  );
}
