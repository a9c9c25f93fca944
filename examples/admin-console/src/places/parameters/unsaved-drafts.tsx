import { Badge, Button, Menu } from '@mantine/core';
import { useDrafts } from '../../drafts/drafts.js';
import { ConfirmedAction } from '../../feedback/confirmed-action.js';
import { useFormats } from '../../language/formats.js';
import { useLanguage, useTexts } from '../../language/language.js';
import { type Parameter, textIn } from './parameter.js';
import { parameterDrafts } from './parameter-drafts.js';
import { texts } from './texts.js';

/** Nothing is sent. */
const DISCARD = { isPending: false, error: null, reset() {} };

export interface UnsavedDraftsProps {
  readonly parameters: readonly Parameter[];
  /** Leads to the input of a parameter. */
  onChoose(parameter: Parameter): void;
}

/** What is not saved in the whole place, wherever the filters hide it. */
export function UnsavedDrafts({ parameters, onChoose }: UnsavedDraftsProps) {
  const t = useTexts(texts);
  const { language } = useLanguage();
  const { number } = useFormats();
  const drafts = useDrafts(parameterDrafts);
  const unsaved = parameters.filter(({ key }) => drafts.has(key));
  const names = unsaved.map((parameter) => textIn(language, parameter.texts));
  if (unsaved.length === 0) return null;
  return (
    <>
      <Menu position="bottom-start" returnFocus={false}>
        <Menu.Target>
          <Button size="xs" variant="light" color="yellow" rightSection={<span aria-hidden>▾</span>}>
            {t.unsavedCount(number(unsaved.length), unsaved.length)}
          </Button>
        </Menu.Target>
        <Menu.Dropdown maw="min(480px, 90vw)">
          {unsaved.map((parameter, index) => (
            <Menu.Item key={parameter.key} onClick={() => onChoose(parameter)}>
              {names[index]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ConfirmedAction
        label={t.discardAll}
        consequence={t.discardAllMeaning(names.join(t.listSeparator))}
        action={DISCARD}
        onConfirm={(done) => {
          done();
          parameterDrafts.dropAll();
        }}
      />
    </>
  );
}

/** How many parameters of a group are not saved. */
export function UnsavedMark({ parameters }: { readonly parameters: readonly Parameter[] }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const drafts = useDrafts(parameterDrafts);
  const { length } = parameters.filter(({ key }) => drafts.has(key));
  if (length === 0) return null;
  return (
    <Badge size="sm" variant="light" color="yellow">
      {t.unsavedCount(number(length), length)}
    </Badge>
  );
}
