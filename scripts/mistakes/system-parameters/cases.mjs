import { equal, match } from 'node:assert/strict';
import { refused, works } from '../expectations.mjs';

const change = ({ ask }) => ask('PUT /admin/system-parameters/shop.open', { body: { value: false, version: 0 } });

export const cases = [
  refused('registered in a child scope', 'child-scope.mjs', /system-parameters/, /scope: 'encapsulated'/),
  works('registered without await', 'without-await.mjs', 'the defaults are read', async ({ ask }) => {
    equal((await ask('GET /')).json.isOpen, true);
  }),
  refused(
    'the admin routes without anybody who is signed in',
    'admin-routes.mjs none',
    /changedBy/,
    /auth-tokens|signed in|required/,
  ),
  ...['undefined', 'promise', 'object'].map((what) =>
    works(
      `changedBy returns: ${what}`,
      `changed-by.mjs ${what}`,
      'nothing is changed, and the answer names changedBy',
      async (server) => {
        match((await change(server)).json.message, /changedBy/);
        equal((await server.ask('GET /admin/system-parameters')).text.includes('"value":false'), false);
      },
      { answers500: 'only a request shows what changedBy returns' },
    ),
  ),
  works('a parameter that is not public', 'public-route.mjs', 'it is not shown', async ({ ask }) => {
    const { text } = await ask('GET /system-parameters/public');
    equal(text.includes('shop.open'), false);
  }),
  refused("type: 'boolean'", 'option.mjs type', /shop\.open|isOpen/, /'BOOLEAN'|BOOLEAN/),
  refused("default: 'true' of a BOOLEAN", 'option.mjs default', /shop\.open|isOpen/, /must be a boolean/),
  refused('a misspelt member', 'option.mjs misspelt', /ispublic/, /did you mean .*isPublic/),
];
