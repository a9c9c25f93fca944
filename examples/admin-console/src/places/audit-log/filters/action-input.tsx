import { TextInput } from '@mantine/core';
import { useId } from 'react';
import { useTexts } from '../../../language/language.js';
import { texts } from '../texts.js';
import { groupOf } from './find-action.js';

export interface ActionInputProps {
  readonly defaultValue: string;
  /** The titles of the known actions, by their codes. */
  readonly names: ReadonlyMap<string, string>;
  /** The actions that are nearest to one that does not exist. Null: there is no fault. */
  readonly nearest: readonly string[] | null;
  onChange(): void;
}

/** Takes an action or the beginning of actions, and suggests both, in words. */
export function ActionInput({ defaultValue, names, nearest, onChange }: ActionInputProps) {
  const t = useTexts(texts);
  const list = useId();
  const beginnings = new Set([...names.keys()].map(groupOf));
  return (
    <>
      <TextInput
        name="action"
        label={t.action}
        placeholder={t.actionHint}
        defaultValue={defaultValue}
        error={nearest !== null && t.nearestActions(nearest.join(', '))}
        onChange={onChange}
        list={list}
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={list}>
        {[...beginnings].map((beginning) => (
          <option key={beginning} value={beginning} label={t.allOf(beginning)} />
        ))}
        {[...names].map(([action, name]) => (
          <option key={action} value={action} label={`${name} · ${action}`} />
        ))}
      </datalist>
    </>
  );
}
