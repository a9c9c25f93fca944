import axios from 'axios';
import createError from 'http-errors';

const isRight = (password) => password === 'correct horse';

/** Password checks, as teams have them. */
export const checks = {
  false: async ({ password }) => isRight(password),
  null: async ({ password }) => (isRight(password) ? { id: 7 } : null),
  undefined: async ({ password }) => (isRight(password) ? { id: 7 } : undefined),
  'ok-false': async ({ password }) => ({ ok: isRight(password) }),
  'success-false': async ({ password }) =>
    isRight(password) ? { success: true } : { success: false, reason: 'password' },
  'valid-false': async ({ password }) => ({ valid: isRight(password) }),
  rows: async ({ password }) => (isRight(password) ? [{ id: 7 }] : []),
  zero: async ({ password }) => (isRight(password) ? 1 : 0),
  'status-code': async ({ password }) => {
    if (!isRight(password)) throw Object.assign(new Error('Wrong name or password'), { statusCode: 401 });
    return { id: 7 };
  },
  'http-errors': async ({ password }) => {
    if (!isRight(password)) throw createError(403, 'Wrong name or password');
    return { id: 7 };
  },
  axios: async ({ password }) => {
    const adapter = async (config) => {
      const response = { status: isRight(password) ? 200 : 401, data: {}, headers: {}, config };
      if (response.status === 200) return response;
      throw new axios.AxiosError('Request failed', 'ERR_BAD_REQUEST', config, null, response);
    };
    return (await axios.post('https://directory.example/sign-in', { password }, { adapter })).data;
  },
  response: async ({ password }) => {
    if (!isRight(password)) throw Object.assign(new Error('Unauthorized'), { response: { status: 401 } });
    return { id: 7 };
  },
  plain: async ({ password }) => {
    if (!isRight(password)) throw new Error('Wrong name or password');
    return { id: 7 };
  },
  text: async ({ password }) => {
    if (!isRight(password)) throw 'wrong password';
    return { id: 7 };
  },
};

/** The route of the team: its answer for a wrong password is 401, whatever its check does. */
export function addLogin(app, check) {
  app.post('/login', async (request, reply) => {
    const subject = { username: request.body.username, terminal: 'web', clientIp: request.ip };
    const user = await app.loginPolicy
      .attempt(subject, () => check(request.body))
      .catch((error) => {
        if (error.code?.startsWith('LOGIN_') || error.code?.startsWith('STORE_')) throw error;
        return null;
      });
    return user ?? reply.code(401).send({ message: 'Wrong name or password' });
  });
}

export const listen = (app) => app.listen({ port: Number(process.env.PORT) });
