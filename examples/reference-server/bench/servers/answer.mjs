/** The answer of every route under load, with and without protection. */
export const ANSWER = { data: { username: 'ada', displayName: 'Ada Lovelace' } };

const text = { type: 'string' };
const data = { type: 'object', properties: { username: text, displayName: text } };

/** The schema of {@link ANSWER}: both servers use Fastify's fast serialisation. */
export const answerSchema = { type: 'object', properties: { data } };
