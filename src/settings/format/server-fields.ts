import { type Fields, field, texts, textsByName, written } from './field.ts';
import * as z from './zod.ts';

/** The highest number of retries that can be configured. */
const mostRetries = 10;

const path = (about: string) => written().check(z.describe(about));

/** The field that says which server is asked. */
export const serverUrl = {
  url: field(() => z.string().check(z.regex(/^https?:\/\/[^@\s]+$/), z.refine(isPlainUrl)), {
    about: 'The URL to which the event is posted.',
    fix: 'write a URL that begins with https:// or http:// and holds no password: "url": "https://…"',
  }),
} as const satisfies Fields;

/** How it is asked. */
export const serverFields = {
  headers: field(textsByName, {
    about: 'Headers to send; they may use $VARIABLES.',
    fix: 'make it an object of strings: { "Authorization": "Bearer $TOKEN" }',
  }),
  allowedEnv: field(texts, {
    about: 'The variables that headers may use.',
    fix: 'make it an array of the names of variables that headers may use',
    fate: 'headers may not use any variables',
  }),
  allowedUrls: field(texts, {
    about: 'The URLs that it may post to; "*" stands for any text.',
    fix: 'make it an array of URLs, in which "*" stands for any text',
  }),
  retries: field(() => z.int().check(z.minimum(0), z.maximum(mostRetries)), {
    about: 'How many times an unavailable server is asked again, within the deadline.',
    fix: `make it a whole number from 0 to ${mostRetries}`,
    fate: 'the server is asked once',
  }),
  tokenFile: field(written, {
    about: 'A file that holds a token, which is sent as "Authorization: Bearer …".',
    fix: 'write the path of a file that holds a token',
  }),
  tls: field(
    () =>
      z.strictObject({
        ca: z.exactOptional(path('The only certificate authorities that are trusted.')),
        cert: z.exactOptional(path('The client certificate.')),
        key: z.exactOptional(path('Its key.')),
      }),
    {
      about: 'Files in PEM format, for a server that authenticates its clients.',
      fix: 'make it an object of paths: { "ca": "…", "cert": "…", "key": "…" }',
    },
  ),
} as const satisfies Fields;

function isPlainUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
