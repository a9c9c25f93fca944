import { equal, match } from 'node:assert/strict';
import { refused, works } from '../expectations.mjs';

function formOf(text, name) {
  const form = new FormData();
  form.set('file', new File([text], name, { type: 'text/plain' }));
  return form;
}

/** Whether a file of the policy is stored, and another one is not. */
async function isChecked({ ask, prints }) {
  equal((await ask('POST /files', { body: formOf('some text', 'a.txt') })).status, 200);
  const { status, json } = await ask('POST /files', { body: formOf('some text', 'a.exe') });
  equal(status, 415);
  equal(json.reason ?? json.message.match(/\((\w+)\)/)[1], 'EXTENSION_NOT_ALLOWED');
  await prints(/^STORED\n$/);
}

const CHECKED = 'files are checked';
const MULTIPART = /@fastify\/multipart/;
const NOTHING_STORED = 'nothing is stored';

export const cases = [
  refused('@fastify/multipart before it', 'multipart.mjs before', MULTIPART, /remove it|sibling/),
  refused('@fastify/multipart after it', 'multipart.mjs after', MULTIPART, /remove it|sibling/),
  refused('a form parser of the team before it', 'form-parser.mjs before', /multipart\/form-data/, /remove|sibling/),
  refused('a form parser of the team after it', 'form-parser.mjs after', /multipart\/form-data/, /Remove it/),
  works(
    'a route without receive(), with request.body',
    'without-receive.mjs body',
    NOTHING_STORED,
    async ({ ask, printed }) => {
      equal((await ask('POST /files', { body: formOf('some text', 'a.exe') })).status, 400);
      equal(await printed(), '');
    },
  ),
  works(
    'a route without receive(), with request.file()',
    'without-receive.mjs file',
    'nothing is stored, and the answer says what to call',
    async ({ ask, printed }) => {
      const { json } = await ask('POST /files', { body: formOf('some text', 'a.exe') });
      match(json.message, /request\.file\(\) would take files without the policy: call app\.uploadPolicy\.receive/);
      equal(await printed(), '');
    },
    { answers500: 'the mistake is in the handler' },
  ),
  works('registered without await', 'without-await.mjs', CHECKED, isChecked),
  refused('registered in a child scope', 'child-scope.mjs', /upload-policy/, /scope: 'encapsulated'/),
  refused('registered twice', 'twice.mjs', /upload-policy/, /remove one registration/),
  works("allowedExtensions: '.jpg, .txt'", 'option.mjs dots', CHECKED, isChecked),
  refused('allowedExtensions is a list', 'option.mjs list', /allowedExtensions/, /must be one text with commas/),
  refused("allowedExtensions: '*'", 'option.mjs star', /allowedExtensions/, /list each extension/),
  refused(
    'a misspelt member of the policy',
    'option.mjs misspelt',
    /allowedExtension is not/,
    /did you mean .*allowedExtensions/,
  ),
  refused('limits, as of @fastify/multipart', 'option.mjs multipart-limits', /limits/, /is not an option/),
  ...['path', 'nothing', 'part'].map((what) =>
    works(
      `the destination of receive is: ${what}`,
      `destination.mjs ${what}`,
      'nothing is stored, and the answer says what to pass',
      async ({ ask, printed }) => {
        const { json } = await ask('POST /files', { body: formOf('some text', 'a.txt') });
        match(json.message, /methods write, commit and discard/);
        equal(await printed(), '');
      },
      { answers500: 'the mistake is in the handler' },
    ),
  ),
  works('an error handler that answers 200', 'error-handler.mjs', NOTHING_STORED, async ({ ask, printed }) => {
    equal((await ask('POST /files', { body: formOf('some text', 'a.exe') })).json.success, false);
    equal(await printed(), '');
  }),
  works('a script with the name of a picture', 'renamed.mjs', NOTHING_STORED, async ({ ask, printed }) => {
    equal((await ask('POST /files', { body: formOf('<script>alert(1)</script>', 'a.jpg') })).status, 415);
    equal(await printed(), '');
  }),
  works('a client that sends JSON', 'renamed.mjs', NOTHING_STORED, async ({ ask, printed }) => {
    const { status } = await ask('POST /files', { body: { file: 'some text' } });
    match(String(status), /^4/);
    equal(await printed(), '');
  }),
];
