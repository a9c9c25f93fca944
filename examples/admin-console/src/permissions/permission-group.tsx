import { Card, Checkbox, Divider, Stack, Text } from '@mantine/core';
import { useFormats } from '../language/formats.js';
import { useTexts } from '../language/language.js';
import { grantOf } from './grants.js';
import type { NamedGroup } from './permission-groups.js';
import { texts } from './texts.js';

export interface PermissionGroupProps {
  readonly group: NamedGroup;
  readonly chosen: readonly string[];
  readonly held: readonly string[];
  readonly isReadOnly: boolean;
  onChoose(codes: readonly string[], isChosen: boolean): void;
}

/** A group of permissions: its box chooses all that the user may grant. */
export function PermissionGroup({ group, chosen, held, isReadOnly, onChoose }: PermissionGroupProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const states = group.permissions.map(({ code, text }) => {
    const grant = grantOf(chosen, code);
    const isHeld = grantOf(held, code) !== undefined;
    const isByFamily = grant !== undefined && grant !== code;
    // What was chosen can be taken away, even if the user has lost it meanwhile.
    const isOpen = !isReadOnly && !isByFamily && (isHeld || grant !== undefined);
    const hint = isByFamily ? t.byFamily(grant) : isHeld || isReadOnly ? code : t.notHeld;
    return { code, text, isChosen: grant !== undefined, isOpen, hint };
  });
  const open = states.filter(({ isOpen }) => isOpen);
  const count = states.filter(({ isChosen }) => isChosen).length;
  const areAllOpenChosen = open.every(({ isChosen }) => isChosen);
  return (
    <Card withBorder padding="sm" role="group" aria-label={group.title}>
      <Stack gap="xs">
        <Checkbox
          label={
            <>
              <Text span fw={600} size="sm">
                {group.title}
              </Text>{' '}
              <Text span size="sm" c="dimmed">
                {t.chosenInGroup(number(count), number(states.length))}
              </Text>
            </>
          }
          checked={count > 0 && count === states.length}
          indeterminate={count > 0 && count < states.length}
          disabled={open.length === 0}
          onChange={() =>
            onChoose(
              open.map(({ code }) => code),
              !areAllOpenChosen,
            )
          }
        />
        <Divider />
        {states.map(({ code, text, isChosen, isOpen, hint }) => (
          <Checkbox
            key={code}
            label={text}
            description={hint}
            checked={isChosen}
            disabled={!isOpen}
            onChange={({ currentTarget }) => onChoose([code], currentTarget.checked)}
          />
        ))}
      </Stack>
    </Card>
  );
}
