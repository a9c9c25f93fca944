import { Type } from 'typebox';

/** A text in each language, as the API answers it. */
export const textsSchema = Type.Object(
  { en: Type.String(), 'zh-CN': Type.String() },
  { title: 'Texts', description: 'A text in each language.' },
);
