import { Type } from '@fastify/type-provider-typebox';

/** The key of a captcha and the answer to it. */
export const captchaAnswer = { key: Type.String({ maxLength: 128 }), code: Type.String({ maxLength: 32 }) };

/** The proof of work of a captcha. */
export const captchaProof = Type.String({ maxLength: 512 });

/** A captcha, if one is required. */
export const shownCaptcha = Type.Object({
  data: Type.Object({
    enabled: Type.Boolean(),
    key: Type.Optional(Type.String()),
    image: Type.Optional(Type.String()),
    expiresInSeconds: Type.Optional(Type.Integer()),
  }),
});
