import { Type } from 'typebox';

const key = Type.String({ maxLength: 128 });

/** The text of a picture. */
const code = Type.Optional(Type.String({ maxLength: 32 }));

/** A proof of work, or the token of a provider, which has some thousand characters. */
const proof = Type.Optional(Type.String({ maxLength: 8192 }));

/** The key of a captcha and the answer to it. */
export const captchaAnswer = { key, code, proof };

/** The same, if a captcha is not always needed. */
export const optionalCaptchaAnswer = { key: Type.Optional(key), code, proof };

/** One of the kinds. */
export const captchaKind = Type.Union(
  [Type.Literal('image'), Type.Literal('proof-of-work'), Type.Literal('both'), Type.Literal('external')],
  { title: 'CaptchaKind' },
);

/** A captcha, if one is required. `kinds` are the accepted kinds, which can be requested with `kind`. */
export const shownCaptcha = Type.Object(
  {
    enabled: Type.Boolean(),
    key: Type.Optional(Type.String()),
    kind: Type.Optional(captchaKind),
    kinds: Type.Optional(Type.Array(captchaKind)),
    image: Type.Optional(Type.String()),
    /** The characters of which the text of the picture consists. */
    alphabet: Type.Optional(Type.String()),
    challenge: Type.Optional(
      Type.Object(
        {
          algorithm: Type.Literal('scrypt'),
          purpose: Type.String(),
          n: Type.Integer(),
          r: Type.Integer(),
          p: Type.Integer(),
          puzzles: Type.Integer(),
          below: Type.Integer(),
        },
        { title: 'ProofOfWorkChallenge' },
      ),
    ),
    expiresInSeconds: Type.Optional(Type.Integer()),
  },
  { title: 'Captcha' },
);
