import type { Locator, Page } from 'playwright-core';

/** Something that a person fills in or confirms, and sends by a button. */
export interface Form {
  /** The file below `src` that sends it. */
  readonly file: string;
  /** Below `/console`. */
  readonly path: string;
  /** The request: its method and path. */
  readonly sends: RegExp;
  /** Fills it in, up to the button that sends. */
  fill(page: Page): Promise<Locator>;
}

/** A button of the page or of its dialog. */
export function buttonOf(page: Page, name: string): Locator {
  return page.getByRole('button', { name, exact: true });
}

/** Opens the dialog of a form. */
export async function openDialog(page: Page, button: string): Promise<Locator> {
  await buttonOf(page, button).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

/** Opens the question before a destructive act. */
export async function question(page: Page, name: string): Promise<Locator> {
  return (await openDialog(page, name)).getByRole('button', { name, exact: true });
}
