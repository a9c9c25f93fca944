import { Type } from '@fastify/type-provider-typebox';

/** The answer to a captcha, and what it answers. */
export const captchaAnswer = { key: Type.String({ maxLength: 128 }), code: Type.String({ maxLength: 32 }) };

/** A captcha, where one is needed. */
export const shownCaptcha = Type.Object({
  data: Type.Object({
    enabled: Type.Boolean(),
    key: Type.Optional(Type.String()),
    image: Type.Optional(Type.String()),
    expiresInSeconds: Type.Optional(Type.Integer()),
  }),
});
